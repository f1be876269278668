import type { ReactNode } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';
import { t } from '../words/words.ts';

interface OpenPanelProps {
  readonly title: string;
  readonly icon: IconName;
  /** The act that opens the form. */
  readonly act: string;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A panel with a form that a click opens. */
export function OpenPanel({ title, icon, act, isOpen, onToggle, children }: OpenPanelProps) {
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{title}</h2>
        <button
          className={isOpen ? 'btn btn-quiet' : 'btn'}
          type="button"
          aria-expanded={isOpen}
          onClick={() => onToggle(!isOpen)}
        >
          {!isOpen && <Icon name={icon} />}
          {isOpen ? t('app.close') : act}
        </button>
      </div>
      {children}
    </div>
  );
}
