import { Chip } from '../../ui/parts/chip.tsx';
import { Marks } from '../../ui/parts/ticks.tsx';
import type { StopRow } from '../model/route-row.ts';
import { listTicksOf } from '../model/stop-ticks.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';

export function StopStatus({ status }: Pick<StopRow, 'status'>) {
  if (status === 'P') return <span className="small">{t('route.status.P')}</span>;
  const isDone = status === 'D' || status === 'C';
  return (
    <Chip icon={isDone ? 'check' : 'x'} tone={isDone ? 'go' : 'plain'}>
      {t(`route.status.${status}`)}
    </Chip>
  );
}

export function WhenWho({ stop }: { readonly stop: StopRow }) {
  const { status_at: at, status_by: by, status_by_name: name } = stop;
  if (at === null) return '–';
  return (
    <>
      <Moment at={at} of={stop} inRow />
      {by !== null && <span className="sub">{name || by}</span>}
    </>
  );
}

export function ListTicks({ stop }: { readonly stop: StopRow }) {
  const ticks = listTicksOf(stop);
  if (!ticks) return <span className="small">{t('stop.nothing')}</span>;
  const { server, host } = ticks;
  const words = [
    server === 'part' ? t('stop.awaits', { n: stop.missing_files }) : '',
    t(host === 'look' ? 'route.refusedByHost' : host === 'yes' ? 'route.atHost' : 'route.notAtHost'),
  ];
  return <Marks states={[server, host]} label={words.filter((each) => each !== '').join(', ')} />;
}
