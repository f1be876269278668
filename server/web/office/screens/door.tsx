import type { ReactNode } from 'react';
import { useLayoutEffect } from 'react';
import { Mark } from '../../ui/icons.tsx';
import { Tick } from '../../ui/parts/ticks.tsx';
import { t } from '../words/words.ts';

const legend = [
  ['signIn.phone', 'signIn.phoneMore'],
  ['signIn.server', 'signIn.serverMore'],
  ['signIn.office', 'signIn.officeMore'],
] as const;

/** The page before any other: the product's sentence at the left, a form at the right. */
export function Door({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useLayoutEffect(() => {
    document.title = `${title} – ${t('app.name')}`;
  }, [title]);
  return (
    <main className="door">
      <section className="door-left">
        <span className="brand">
          <Mark />
          {t('app.name')}
        </span>
        <div className="pitch">
          <p className="big">{t('signIn.pitch')}</p>
          <ol className="legend">
            {legend.map(([head, more]) => (
              <li key={head} className="done">
                <Tick state="yes" />
                <div>
                  <strong>{t(head)}</strong>
                  <span className="small">{t(more)}</span>
                </div>
              </li>
            ))}
          </ol>
        </div>
        <p />
      </section>
      <section className="door-right">{children}</section>
    </main>
  );
}
