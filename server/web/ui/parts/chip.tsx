import type { ReactNode } from 'react';
import type { IconName } from '../icons.tsx';
import { Icon } from '../icons.tsx';

export type Tone = 'plain' | 'go' | 'warn' | 'bad' | 'info';

interface ChipProps {
  readonly icon: IconName;
  readonly tone?: Tone;
  readonly children: ReactNode;
}

/** A state that needs an eye: a shape and a word, never a colour alone. */
export function Chip({ icon, tone = 'plain', children }: ChipProps) {
  return (
    <span className={tone === 'plain' ? 'chip' : `chip ${tone}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

interface BannerProps {
  readonly icon: IconName;
  readonly tone?: Tone;
  /** `status` is read out politely, `alert` at once. */
  readonly role?: 'status' | 'alert';
  readonly children: ReactNode;
}

/** A sentence with a place of its own. */
export function Banner({ icon, tone = 'plain', role, children }: BannerProps) {
  return (
    <div className={tone === 'plain' ? 'banner' : `banner ${tone}`} role={role}>
      <Icon name={icon} />
      <div className="grow">{children}</div>
    </div>
  );
}
