import { Chip } from '../../ui/parts/chip.tsx';
import type { RowOf } from '../api/operations.ts';
import { useList } from '../api/reads.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';
import { ListTable } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

type DrillRow = RowOf<'listDrills'>;

/** Backups that were restored on trial, and what was found in them. */
export function DrillsPanel() {
  const drills = useList('listDrills', {});
  return (
    <TablePanel title={t('host.drills')}>
      <ListTable
        caption={t('host.drills')}
        listing={drills}
        isWithin
        empty={t('host.noDrills')}
        keyOf={({ drill_id }) => drill_id}
        columns={[
          { head: t('host.drilled'), cell: ({ at }) => <Moment at={at} /> },
          { head: t('host.backup'), cell: (row) => <Backup row={row} /> },
          { head: t('host.state'), cell: (row) => <State row={row} /> },
        ]}
      />
    </TablePanel>
  );
}

function Backup({ row: { backup, backup_at: at } }: { readonly row: DrillRow }) {
  return (
    <>
      <strong>{backup}</strong>
      {at !== null && (
        <span className="sub">
          <Moment at={at} />
        </span>
      )}
    </>
  );
}

/** The sentences are the program's own, as an administrator reads them in the journal. */
function State({ row: { ok, findings } }: { readonly row: DrillRow }) {
  if (ok)
    return (
      <Chip icon="check" tone="go">
        {t('host.restorable')}
      </Chip>
    );
  return (
    <>
      <Chip icon="x" tone="bad">
        {t('host.notRestorable')}
      </Chip>
      {findings
        .filter((finding) => !finding.ok)
        .map(({ check, says }) => (
          <span key={check} className="sub">
            {check}: {says}
          </span>
        ))}
    </>
  );
}
