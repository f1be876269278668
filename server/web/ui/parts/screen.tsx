import type { ReactNode } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { goBack, scrolledBefore } from '../router.ts';

interface ScreenProps {
  /** Set before the name of the app in the page's title, and read out when the screen opens. */
  readonly title: string;
  /** Above the scrolling part: the state line, the head of the screen. */
  readonly top?: ReactNode;
  /** The gate and the tab bar. */
  readonly foot?: ReactNode;
  readonly className?: string;
  readonly children?: ReactNode;
}

let isFirst = true;

/**
 * A screen as high as the window: only its middle scrolls, so that the gate covers nothing. A new screen starts at its
 * heading, with the focus there; a screen that the reader returns to starts where it was left.
 */
export function Screen({ title, top, foot, className, children }: ScreenProps) {
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} – Tailgate`;
  }, [title]);
  useLayoutEffect(() => {
    const { current } = main;
    if (!current) return;
    const before = scrolledBefore();
    current.scrollTop = before;
    scrollTo(0, current.scrollTop === before ? 0 : before);
    // The first page of a visit keeps the focus at its beginning.
    if (!isFirst) focusHeading(current.parentElement ?? current);
    isFirst = false;
  }, []);
  return (
    <div className="phone">
      {top}
      <main ref={main} className={className} tabIndex={-1}>
        {children}
      </main>
      {foot}
    </div>
  );
}

/** Moves the focus to the heading of a page, where screen readers and keyboards begin. */
function focusHeading(within: ParentNode): void {
  const heading = within.querySelector<HTMLElement>('h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

interface TopProps {
  readonly back: string;
  readonly backLabel: string;
  readonly over?: ReactNode;
  readonly title: string;
  /** `dark`: beside the camera's picture. */
  readonly look?: 'plain' | 'dark';
  readonly children?: ReactNode;
}

/** The head of a screen below the first level: back, a small line, the title, one more act. */
export function Top({ back, backLabel, over, title, look = 'plain', children }: TopProps) {
  return (
    <header className={look === 'dark' ? 'top dark' : 'top'}>
      <a
        className="btn btn-quiet btn-icon"
        href={back}
        aria-label={backLabel}
        onClick={(event) => {
          event.preventDefault();
          goBack(back);
        }}
      >
        <svg className="i" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M15 5l-7 7 7 7" />
        </svg>
      </a>
      <div className="grow">
        {over !== undefined && <span className="cap">{over}</span>}
        <h1>{title}</h1>
      </div>
      {children}
    </header>
  );
}
