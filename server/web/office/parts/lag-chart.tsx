import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { Chip } from '../../ui/parts/chip.tsx';
import { useRead } from '../api/reads.ts';
import type { Hour, LagChart, Sample, Span } from '../model/lag-chart.ts';
import { chartOf, highestOf, hoursOf } from '../model/lag-chart.ts';
import { timeIn, utc } from '../words/times.ts';
import { span, t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { Moment } from './moment.tsx';
import { Table } from './table.tsx';

const height = 230;

/** How far the host was behind in the last 24 hours (B10): a chart, and the same as a table. */
export function LagPanel({ seconds }: { readonly seconds: number }) {
  const { data: samples, fault } = useRead('listHostLag', {});
  const [isTable, setTable] = useState(false);
  return (
    <section className="panel" aria-labelledby="lag">
      <div className="panel-head">
        <h2 id="lag">{t('host.lagDay')}</h2>
        <button className="btn" type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {t(isTable ? 'host.asChart' : 'host.asTable')}
        </button>
      </div>
      <FaultNote fault={fault} />
      {samples?.length === 0 && <p className="panel-body small">{t('host.noSamples')}</p>}
      {samples && samples.length > 0 && (isTable ? <Hours samples={samples} /> : <Chart {...{ samples, seconds }} />)}
    </section>
  );
}

interface ChartProps {
  readonly samples: readonly Sample[];
  readonly seconds: number;
}

function Chart({ samples, seconds }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const now = Date.now();
  const box = { left: 72, right: width - 12, top: 16, bottom: 200 };
  const chart = chartOf(samples, { now, seconds }, box);
  const highest = highestText(highestOf(samples, { now, seconds }));
  return (
    <div className="panel-body">
      <div ref={place}>
        <svg
          className="chart"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={inWords(highest, chart, seconds)}
        >
          {chart.grid.map(({ seconds: at, y }) => (
            <g key={at}>
              <path className="grid" d={`M${box.left} ${y}H${box.right}`} />
              <text x={box.left - 8} y={y + 4} textAnchor="end">
                {at === 0 ? '0' : span(at * 1_000)}
              </text>
            </g>
          ))}
          <Spans spans={chart.holds} look="hold" top={box.top} bottom={box.bottom} />
          <Spans spans={chart.aways} look="brk" top={box.top} bottom={box.bottom} />
          {chart.lines.map(({ line, area }) => (
            <g key={line}>
              <path className="area" d={area} />
              <path className="series" d={line} />
            </g>
          ))}
          <path className="axis" d={`M${box.left} ${box.bottom}H${box.right}`} />
          {chart.ticks.map(({ at, x }) => (
            <text key={at} x={x} y={height - 10} textAnchor={x > box.right - 24 ? 'end' : 'middle'}>
              <title>{utc(at)}</title>
              {clockOf(at)}
            </text>
          ))}
          <circle className="nowdot" cx={chart.end.x} cy={chart.end.y} r="6" />
        </svg>
      </div>
      <p className="small legend-row">
        {highest} {chart.holds.length > 0 && <span className="key hold">{t('host.keyHold')}</span>}{' '}
        {chart.aways.length > 0 && <span className="key brk">{t('host.keyAway')}</span>}
      </p>
    </div>
  );
}

/** The hour alone: the chart spans one day. */
const clockOf = (at: number): string => timeIn(at, undefined, 'time', at);

interface SpansProps {
  readonly spans: readonly Span[];
  readonly look: 'hold' | 'brk';
  readonly top: number;
  readonly bottom: number;
}

function Spans({ spans, look, top, bottom }: SpansProps) {
  return spans.map(({ from, until, x, width }) => (
    <rect key={from} className={look} x={x} y={top} width={width} height={bottom - top}>
      <title>
        {t(look === 'hold' ? 'host.heldFrom' : 'host.awayFrom', { from: clockOf(from), until: clockOf(until) })}
      </title>
    </rect>
  ));
}

const highestText = ({ at, lag }: ReturnType<typeof highestOf>): string =>
  lag === 0 ? t('host.neverBehind') : t('host.highest', { span: span(lag * 1_000), time: clockOf(at) });

function inWords(highest: string, { holds, aways }: LagChart, seconds: number): string {
  const spans = (word: 'host.heldFrom' | 'host.awayFrom', all: readonly Span[]): string[] =>
    all.map(({ from, until }) => t(word, { from: clockOf(from), until: clockOf(until) }));
  return [
    t('host.chart', { span: span(seconds * 1_000) }),
    highest,
    ...spans('host.heldFrom', holds),
    ...spans('host.awayFrom', aways),
  ].join(' ');
}

function Hours({ samples }: { readonly samples: readonly Sample[] }) {
  return (
    <div className="scrolls" role="group" aria-label={t('host.lagDay')} tabIndex={0}>
      <Table
        caption={t('host.lagDay')}
        rows={hoursOf(samples)}
        keyOf={({ at }: Hour) => String(at)}
        columns={[
          { head: t('host.hour'), cell: ({ at }) => <Moment at={at} /> },
          {
            head: t('host.behind'),
            cell: ({ seconds }) => (seconds === 0 ? t('host.upToDate') : span(seconds * 1_000)),
            isNumber: true,
          },
          { head: t('host.routesBehind'), cell: ({ routes }) => routes, isNumber: true },
          { head: t('host.refused'), cell: ({ parked }) => parked, isNumber: true },
          {
            head: t('host.state'),
            cell: ({ isAway, isHeld }) => (
              <>
                {isHeld && <Chip icon="pause">{t('host.keyHold')}</Chip>}
                {isAway && (
                  <Chip icon="off" tone="bad">
                    {t('host.keyAway')}
                  </Chip>
                )}
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

/** The width of an element in px: the chart is drawn in px, so that its text keeps its size on each screen. */
function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1_000);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const watch = new ResizeObserver(() => setWidth(Math.max(320, Math.round(current.clientWidth))));
    watch.observe(current);
    return () => watch.disconnect();
  }, [place]);
  return width;
}
