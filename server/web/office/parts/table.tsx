import type { ReactNode } from 'react';
import { Fragment, useMemo } from 'react';
import { Icon } from '../../ui/icons.tsx';
import type { Listing } from '../api/reads.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures are at the right. */
  readonly isNumber?: boolean;
  /** `dif`: a value that differs from its neighbours. */
  readonly lookOf?: (row: Row) => 'dif' | undefined;
}

interface TableProps<Row> {
  /** The name of the rows, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The page of a row: its first cell becomes the link that j, k and Enter reach. */
  readonly hrefOf?: (row: Row) => string | undefined;
  /** `sel`: the row that the page below is about; `off`: one that needs an eye. */
  readonly lookOf?: (row: Row) => 'sel' | 'off' | undefined;
  /** More about a row, in a row of its own below it. */
  readonly below?: (row: Row) => ReactNode;
}

/** A table with a link in the first cell of each row. */
export function Table<Row>({ caption, columns, rows, keyOf, hrefOf, lookOf, below }: TableProps<Row>) {
  return (
    <table className="tbl">
      <caption className="sr">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, isNumber = false }) => (
            <th key={head} scope="col" className={isNumber ? 'num' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const [href, look, more] = [hrefOf?.(row), lookOf?.(row), below?.(row)];
          return (
            <Fragment key={keyOf(row)}>
              <TableRow row={row} columns={columns} href={href} look={look} />
              {more !== undefined && (
                <tr className="below">
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

interface RowProps<Row> extends Pick<TableProps<Row>, 'columns'> {
  readonly row: Row;
  readonly href: string | undefined;
  readonly look: 'sel' | 'off' | undefined;
}

/** A row that is drawn anew only where it has changed, if the page keeps its columns: lists have hundreds. */
function TableRow<Row>({ row, columns, href, look }: RowProps<Row>) {
  return useMemo(() => {
    const [first, ...rest] = columns;
    return (
      <tr className={look}>
        <th scope="row">
          {href === undefined ? (
            first?.cell(row)
          ) : (
            <a className="cell" href={href} data-row="">
              {first?.cell(row)}
            </a>
          )}
        </th>
        {rest.map(({ head, cell, isNumber = false, lookOf }) => (
          <td key={head} className={isNumber ? 'num' : lookOf?.(row)}>
            {cell(row)}
          </td>
        ))}
      </tr>
    );
  }, [row, columns, href, look]);
}

interface ListTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly listing: Omit<Listing<Row>, 'isFresh'>;
  /** Why the list is empty, and what comes next. */
  readonly empty: string;
  /** A panel around the list has its frame. */
  readonly isWithin?: boolean;
}

/** A list of the server: its faults, its rows, and one page more by a button. */
export function ListTable<Row>({ listing, empty, isWithin = false, ...table }: ListTableProps<Row>) {
  const { rows, fault, moreFault, hasMore, isBusy, more } = listing;
  return (
    <>
      <FaultNote fault={fault} />
      {rows === undefined && !fault && <p className="small">{t('app.loading')}</p>}
      {rows?.length === 0 && (
        <div className={isWithin ? 'empty' : 'panel empty'}>
          <Icon name="check" />
          <p>{empty}</p>
        </div>
      )}
      {rows !== undefined && rows.length > 0 && (
        <div className={isWithin ? undefined : 'panel scrolls'}>
          <Table {...table} rows={rows} />
          {hasMore && (
            <div className="panel-body">
              <FaultNote fault={moreFault} />
              <button className="btn btn-link" type="button" aria-disabled={isBusy} onClick={isBusy ? undefined : more}>
                {t('list.more')}
              </button>
            </div>
          )}
        </div>
      )}
    </>
  );
}
