import { useReceipt } from '@tailgate/client-sdk/react';
import { Icon } from '../../ui/icons.tsx';
import { Choice } from '../../ui/parts/choice.tsx';
import { Marks } from '../../ui/parts/ticks.tsx';
import { links } from '../links.ts';
import type { ReportKind, SectionDraft, SectionKey } from '../model/load-report.ts';
import { hasNote, reportSections, wantsNote, withSection } from '../model/load-report.ts';
import { latestTimes, ticksOf } from '../model/ticks.ts';
import { useReports } from '../report-draft.ts';
import { loadWord } from '../words/load-words.ts';
import { moment, t } from '../words/words.ts';

const ratings = ['1', '2', '3', '4', '5'].map((value) => ({ value, label: value }));

/** The five sections of a load condition report, a row each. A poor rating offers its note and photo. */
export function LoadForm({
  kind,
  faults,
}: {
  readonly kind: ReportKind;
  readonly faults: ReadonlyMap<string, string>;
}) {
  const [reports, change] = useReports();
  const { sections, receipt, changed } = reports[kind];
  return (
    <section>
      <div className="row spread">
        <h2>{loadWord(kind === 'leave' ? 'load.howLoaded' : 'load.howTravelled')}</h2>
        <span className="cap">{loadWord('load.scale')}</span>
      </div>
      {receipt !== null && <SavedReport receipt={receipt} changed={changed} />}
      <div className="ratelist">
        {reportSections.map((key) => (
          <div key={key} className="rate">
            <p aria-hidden="true">{sectionTitle(key)}</p>
            <Choice
              legend={`${sectionTitle(key)}, ${loadWord('load.scale')}`}
              hideLegend
              look="cells"
              options={ratings}
              value={String(sections[key].rating)}
              onChoose={(rating) => change((before) => withSection(before, kind, key, { rating: Number(rating) }))}
            />
            {wantsNote(sections[key]) && (
              <a className="btn btn-link" href={links.loadSection(kind, key)}>
                <Icon name={isAtFault(key, faults) ? 'warn' : 'cam'} />
                {noteOf(sections[key], isAtFault(key, faults))}
              </a>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

/** When the report was saved, and how far it is. A report ends at the server: it belongs to no route. */
function SavedReport({ receipt, changed }: { readonly receipt: string; readonly changed: boolean }) {
  const state = useReceipt(receipt);
  if (!state) return null;
  const row = ticksOf([state]);
  const at = latestTimes([state]).recorded;
  if (!row) return null;
  return (
    <p className="row small" role="status">
      <Marks states={[row.phone, row.server]} label={t(row.server === 'yes' ? 'tick.server' : 'tick.phone')} />
      <span className="grow">
        {at !== undefined && loadWord('load.savedAt', { time: moment(at, Date.now()) })}{' '}
        {changed && loadWord('load.changed')}
      </span>
    </p>
  );
}

const isAtFault = (key: SectionKey, faults: ReadonlyMap<string, string>): boolean =>
  [...faults.keys()].some((path) => path.startsWith(`${key}.`));

function noteOf(section: SectionDraft, isWrong: boolean): string {
  if (isWrong) return loadWord('load.noteWrong');
  if (!hasNote(section)) return loadWord('load.addNote');
  const words = section.reason.trim() || section.comment.trim();
  return [words, section.photo === null ? '' : loadWord('load.onePhoto')].filter(Boolean).join(' · ');
}

export const sectionTitle = (key: SectionKey): string => loadWord(sectionTitles[key]);

const sectionTitles = {
  stacking: 'load.stacking',
  product_in_place: 'load.inPlace',
  plastic_cooler_counts: 'load.cooler',
  plastic_dry_counts: 'load.dry',
  trailer_cleanliness: 'load.clean',
} as const satisfies Record<SectionKey, string>;

/** Names the sections without a rating in one line; empty where none is missing. */
export const missingSections = (keys: readonly SectionKey[]): string =>
  keys.length === reportSections.length
    ? loadWord('load.all')
    : keys.map((key) => sectionTitle(key).toLowerCase()).join(' · ');
