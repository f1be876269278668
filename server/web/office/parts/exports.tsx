import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import type { ListName, QueryOf, RowOf } from '../api/operations.ts';
import type { Fault } from '../api/reads.ts';
import { allRows, faultOf } from '../api/reads.ts';
import type { Cell } from '../model/export.ts';
import { exportName, toCsv } from '../model/export.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useServices } from '../services.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';

/** A column of an exported list; the page's own columns may show less. */
export interface ExportColumn<Row> {
  readonly head: string;
  readonly text: (row: Row) => Cell;
}

interface ExportsProps<Name extends ListName> {
  /** The list and its filters: all its rows are fetched, page by page. */
  readonly list: Name;
  readonly query: QueryOf<Name>;
  /** The file's name before the time. */
  readonly file: string;
  readonly columns: readonly ExportColumn<RowOf<Name>>[];
}

/** CSV, JSON and print of a whole list, which pages from the server. */
export function Exports<Name extends ListName>({ list, query, file, columns }: ExportsProps<Name>) {
  const { api } = useServices();
  const pages = (): AsyncIterable<readonly RowOf<Name>[]> => allRows(api, list, query);
  return <ExportRows pages={pages} file={file} columns={columns} />;
}

interface RowsProps<Row> {
  /** The rows, in one part or several. */
  readonly pages: () => Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  readonly file: string;
  readonly columns: readonly ExportColumn<Row>[];
}

/** CSV, JSON and print of rows. */
export const ExportRows = <Row,>(rows: RowsProps<Row>) => (
  <>
    <SaveRows {...rows} />
    <PrintButton />
  </>
);

/** CSV and JSON of rows, one list of several on a page. */
export function SaveRows<Row>({ pages, file, columns }: RowsProps<Row>) {
  const [fetched, setFetched] = useState<number>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const save = async (kind: 'csv' | 'json'): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const rows: Row[] = [];
      for await (const page of pages()) {
        rows.push(...page);
        setFetched(rows.length);
      }
      const heads = columns.map(({ head }) => head);
      const cells = rows.map((row) => columns.map(({ text }) => text(row)));
      const content = kind === 'csv' ? toCsv(heads, cells) : `${JSON.stringify(rows, null, 2)}\n`;
      const type = `${kind === 'csv' ? 'text/csv' : 'application/json'}; charset=utf-8`;
      saveFile(new Blob([content], { type }), exportName(file, Date.now(), kind));
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setFetched(undefined);
      setBusy(false);
    }
  };
  return (
    <>
      {fetched !== undefined && (
        <span className="small" role="status">
          {t('list.fetching', { n: fetched })}
        </span>
      )}
      <FaultNote fault={fault} />
      <button className="btn" type="button" aria-disabled={isBusy} onClick={() => void save('csv')}>
        <Icon name="dl" />
        {t('list.csv')}
      </button>
      <button className="btn" type="button" aria-disabled={isBusy} onClick={() => void save('json')}>
        <Icon name="dl" />
        {t('list.json')}
      </button>
    </>
  );
}

/** Prints the page. */
export const PrintButton = () => (
  <button className="btn" type="button" onClick={() => print()}>
    <Icon name="print" />
    {t('list.print')}
  </button>
);
