import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import type { IconName } from '../../ui/icons.tsx';
import type { Tone } from '../../ui/parts/chip.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { may } from '../session.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { Moment } from './moment.tsx';
import { Table } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

type Examination = DataOf<'readDoctor'>[number];
type Finding = Examination['findings'][number];

/** The doctor's last findings at the host, by the machine of each worker. */
export function DoctorPanel() {
  const { data, fault } = useRead('readDoctor', {});
  const newest = data
    ?.map(({ at }) => at)
    .toSorted()
    .at(-1);
  return (
    <TablePanel title={t('host.doctor')} beside={may('admin') && <AskAgain newest={newest} />}>
      <FaultNote fault={fault} />
      {data?.length === 0 && <p className="panel-body small">{t('host.doctorNever')}</p>}
      {data?.map((examination) => (
        <MachineFindings key={examination.node} examination={examination} />
      ))}
    </TablePanel>
  );
}

/** The results come as news of the host. @param newest the time of the newest one; undefined without any */
function AskAgain({ newest }: { readonly newest: string | undefined }) {
  const ask = useAct('askDoctor');
  const [asked, setAsked] = useState<Asked>();
  const run = async (): Promise<void> => {
    const answer = await ask.run({});
    setAsked(answer && { workers: answer.workers, before: newest });
  };
  return (
    <>
      <FaultNote fault={ask.fault} />
      <span className="small" role="status">
        {asked && stateOf(asked, newest)}
      </span>
      <button className="btn" type="button" aria-disabled={ask.isOff} onClick={() => void run()}>
        <Icon name="retry" />
        {t('host.doctorAsk')}
      </button>
    </>
  );
}

interface Asked {
  readonly workers: number;
  /** The time of the newest result when the question went out. */
  readonly before: string | undefined;
}

function stateOf({ workers, before }: Asked, newest: string | undefined): string {
  if (workers === 0) return t('host.noWorker');
  return newest === before ? t('host.doctorAsked', { n: workers }) : t('host.doctorAnswered');
}

/** The sentences are the program's own, as an administrator reads them in the log. */
function MachineFindings({ examination: { node, at, go, findings } }: { readonly examination: Examination }) {
  return (
    <>
      <p className="panel-body">
        <LevelChip level={go ? 'go' : 'no_go'} /> {t('host.doctorAt', { node, n: findings.length })} <Moment at={at} />
      </p>
      <Table
        caption={node}
        rows={findings}
        keyOf={({ check }) => check}
        lookOf={({ level }) => (level === 'no_go' ? 'off' : undefined)}
        columns={[
          { head: t('host.doctorCheck'), cell: ({ check }) => <span className="mono">{check}</span> },
          { head: t('host.state'), cell: ({ level }) => <LevelChip level={level} /> },
          { head: t('host.doctorFound'), cell: ({ says }) => says },
          { head: t('host.doctorTodo'), cell: ({ todo }) => todo || '–' },
        ]}
      />
    </>
  );
}

const levels = {
  go: ['check', 'go', 'host.doctorGo'],
  attention: ['warn', 'warn', 'host.doctorLook'],
  unknown: ['warn', 'plain', 'host.doctorUnknown'],
  no_go: ['x', 'bad', 'host.doctorNoGo'],
} as const satisfies { readonly [level in Finding['level']]: readonly [IconName, Tone, string] };

function LevelChip({ level }: Pick<Finding, 'level'>) {
  const [icon, tone, word] = levels[level];
  return (
    <Chip icon={icon} tone={tone}>
      {t(word)}
    </Chip>
  );
}
