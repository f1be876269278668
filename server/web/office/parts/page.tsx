import type { ReactNode } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { scrolledBefore } from '../../ui/router.ts';
import { session } from '../session.ts';
import { useSignal } from '../use-signal.ts';
import { t } from '../words/words.ts';

interface PageProps {
  /** Set before the name of the product in the window's title, and read out when the page opens. */
  readonly title: string;
  readonly lead?: ReactNode;
  /** The way here, as links. */
  readonly crumbs?: readonly { readonly href: string; readonly text: string }[];
  /** Buttons beside the title. */
  readonly acts?: ReactNode;
  /** More beside the title, such as three ticks. */
  readonly beside?: ReactNode;
  readonly children?: ReactNode;
}

let isFirst = true;

/** A page of the console: its title with the focus, its acts, its content. One that the reader returns to starts where it was left. */
export function Page({ title, lead, crumbs, acts, beside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Behind the lock, the title is that of the lock.
  const isOpen = useSignal(session).is === 'in';
  useLayoutEffect(() => {
    if (isOpen) document.title = `${title} – ${t('app.name')}`;
  }, [title, isOpen]);
  useLayoutEffect(() => {
    scrollTo(0, scrolledBefore());
    // The first page of a visit keeps the focus at its beginning; a person who types keeps it, too.
    const isTyping = document.activeElement?.matches('input, textarea') ?? false;
    if (!isFirst && !isTyping) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <main className="page" id="page">
      <div className="page-head">
        <div>
          {crumbs && (
            <nav className="crumbs" aria-label={t('app.here')}>
              {crumbs.map((crumb) => (
                <span key={crumb.href}>
                  <a href={crumb.href}>{crumb.text}</a> ›
                </span>
              ))}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="lead">{lead}</p>}
        </div>
        {beside}
        {acts !== undefined && <div className="acts">{acts}</div>}
      </div>
      {children}
    </main>
  );
}
