import type { IconName } from '../icons.tsx';
import { Icon } from '../icons.tsx';

interface Tab {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  /** Things that are new there. */
  readonly count?: number;
  readonly countLabel?: string;
}

/** The pages of the first level. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.href === current ? 'page' : undefined}>
          <Icon name={tab.icon} />
          <span>{tab.label}</span>
          {tab.count !== undefined && tab.count > 0 && (
            <span className="n">
              {tab.count}
              <span className="sr"> {tab.countLabel}</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
