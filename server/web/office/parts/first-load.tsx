import { Banner } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { useNow } from '../use-now.ts';
import { dayText } from '../words/times.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';

type Load = NonNullable<DataOf<'readFirstLoad'>['load']>;

const A_MINUTE_MS = 60_000;
const A_DAY_MS = 86_400_000;

/** Routes that come from the host at a start, until a day after the last one. */
export function FirstLoadBanner() {
  const { data } = useRead('readFirstLoad', {});
  const now = useNow(A_MINUTE_MS);
  const load = data?.load;
  if (!load || (load.ended_at !== null && Date.parse(load.ended_at) + A_DAY_MS < now)) return null;
  const isOver = load.ended_at !== null;
  return (
    <Banner icon={isOver ? 'check' : 'clock'} tone={isOver ? 'go' : 'info'}>
      <p>
        <strong>{t(isOver ? 'host.loadEnded' : 'host.loading', { loaded: load.loaded, routes: load.routes })}</strong>{' '}
        {isOver ? <Moment at={load.ended_at ?? load.updated_at} /> : t('host.loadResumes')}
      </p>
      {!isOver && <progress value={load.loaded} max={load.routes} aria-label={t('host.loadProgress')} />}
      <p className="sub">{reasonsOf(load)}</p>
    </Banner>
  );
}

/** The counts that are not zero, as of the start of the load. */
function reasonsOf(load: Load): string {
  const counts = [
    [load.without_driver, t('host.loadNoDriver', { n: load.without_driver })],
    [load.without_stops, t('host.loadNoStop', { n: load.without_stops })],
    [load.not_dispatched, t('host.loadNotDispatched', { n: load.not_dispatched })],
    [load.older, t('host.loadOlder', { n: load.older, week: dayText(load.open_from) })],
    [load.history, t('host.loadHistory', { n: load.history, week: dayText(load.closed_from) })],
    [load.off, t('host.loadOff', { n: load.off })],
    [load.of_other_cells, t('host.loadOtherCells', { n: load.of_other_cells })],
    [load.unusable, t('host.loadUnusable', { n: load.unusable })],
  ] as const;
  return counts.flatMap(([n, words]) => (n > 0 ? [words] : [])).join(' · ');
}
