import type { ReactNode } from 'react';
import { useId, useLayoutEffect, useRef } from 'react';
import { Icon } from '../icons.tsx';

interface SheetProps {
  readonly title: string;
  /** A small line above or below the title. */
  readonly over?: ReactNode;
  readonly below?: ReactNode;
  readonly closeLabel: string;
  /** Called by the close button, the Escape key and a tap outside. */
  readonly onClose: () => void;
  /** Beside the sheet on the dimmed page, such as an undo. */
  readonly above?: ReactNode;
  readonly foot?: ReactNode;
  /** One height for as long as it is open, because its content changes by itself. */
  readonly steady?: boolean;
  readonly children?: ReactNode;
}

/**
 * A sheet over the page, as a native modal dialog: the browser keeps the focus inside, makes the rest inert, and
 * returns the focus when it closes.
 */
export function Sheet({ title, over, below, closeLabel, onClose, above, foot, steady = false, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const latest = useRef(onClose);
  latest.current = onClose;
  /** Going back takes a moment: a close meanwhile is the same one. */
  const isLeaving = useRef(false);
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current?.open === false) current.showModal();
    heading.current?.focus({ preventScroll: true });
    // A browser may close the dialog by itself, without a cancel event: a phone's back button does so before the first touch.
    const onNativeClose = (): void => {
      if (!isLeaving.current) latest.current();
    };
    current?.addEventListener('close', onNativeClose);
    return () => {
      current?.removeEventListener('close', onNativeClose);
      current?.close();
    };
  }, []);
  const leave = (): void => {
    isLeaving.current = true;
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className="sheet-page"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) leave();
      }}
    >
      {above}
      <div className={steady ? 'sheet steady' : 'sheet'}>
        <div className="sheet-head">
          <div className="grow">
            {over !== undefined && <p className="cap">{over}</p>}
            <h1 id={id} ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {below !== undefined && <p className="cap">{below}</p>}
          </div>
          <button className="btn btn-quiet btn-icon" type="button" aria-label={closeLabel} onClick={leave}>
            <Icon name="x" />
          </button>
        </div>
        <div className="sheet-body" role="group" aria-labelledby={id} tabIndex={0}>
          {children}
        </div>
        {foot}
      </div>
    </dialog>
  );
}
