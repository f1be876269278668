import type { ReactNode } from 'react';
import { useId } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';

interface SendButtonProps {
  readonly tone: 'go' | 'bad';
  readonly icon?: IconName;
  /** The field that the form still lacks, in a sentence; empty: none. */
  readonly missing: string;
  /** The act does not run now. */
  readonly isOff: boolean;
  readonly children: ReactNode;
}

/** The button of a form. While a field is missing it is shut, and a sentence below names the field. */
export function SendButton({ tone, icon, missing, isOff, children }: SendButtonProps) {
  const id = useId();
  return (
    <>
      <button
        className={`btn btn-${tone}`}
        type="submit"
        aria-disabled={missing !== '' || isOff}
        aria-describedby={missing === '' ? undefined : id}
      >
        {icon && <Icon name={icon} />}
        {children}
      </button>
      <p className="hint lacks" id={id}>
        {missing}
      </p>
    </>
  );
}
