import type { ReactNode } from 'react';

interface TablePanelProps {
  readonly title: string;
  /** Beside the title. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** A table without links in its rows: where it is wider than the page, the arrow keys scroll it. */
export function TablePanel({ title, beside, children }: TablePanelProps) {
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{title}</h2>
        {beside}
      </div>
      <div className="scrolls" role="group" aria-label={title} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
