import { Chip } from '../../ui/parts/chip.tsx';
import { useFilters, withFilters } from '../address.ts';
import type { RowOf } from '../api/operations.ts';
import { useList, useRead } from '../api/reads.ts';
import { links } from '../links.ts';
import { Exports } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { PhonePanel } from '../parts/phone-panel.tsx';
import { ListTable } from '../parts/table.tsx';
import { sizeText, t } from '../words/words.ts';

type Row = RowOf<'listDevices'>;

/** Phones (B11): the work still on them, since when, app version; the chosen one below, with the end of a lost one. */
export function PhonesScreen({ chosen }: { readonly chosen?: string | undefined }) {
  const [filters, change] = useFilters();
  const driver = filters['employee'] ?? '';
  const options = [
    { value: 'all', label: t('phones.all') },
    { value: 'pending', label: t('phones.withWork') },
    { value: 'silent', label: t('phones.onlySilent') },
    { value: 'revoked', label: t('phones.onlyRevoked') },
  ] as const;
  const state = options.find(({ value }) => value === filters['state'])?.value ?? 'all';
  const query = { state, ...(driver !== '' && { employee: driver }) };
  const listing = useList('listDevices', query);
  const isChosen = ({ client_id }: Row): boolean => client_id === chosen;
  // Read by its id: it may be on a further page of the list, or outside of its filters.
  const one = useRead('listDevices', chosen === undefined ? undefined : { query: { client_id: chosen } });
  const phone = one.data?.[0] ?? listing.rows?.find(isChosen);
  return (
    <Page
      title={t('phones.title')}
      lead={t('phones.lead')}
      acts={
        <>
          <Filter
            label={t('phones.filter')}
            options={options}
            value={state}
            onChoose={(value) => change('state', value)}
          />
          <Exports list="listDevices" query={query} file="phones" columns={exported()} />
        </>
      }
    >
      {driver !== '' && (
        <p className="small">
          {t('phones.ofDriver', { employee: driver })}{' '}
          <a className="btn btn-link" href={withFilters(links.phones, { ...filters, employee: '' })}>
            {t('phones.ofAll')}
          </a>
        </p>
      )}
      <ListTable
        caption={t('phones.caption')}
        listing={listing}
        empty={t('phones.empty')}
        keyOf={({ client_id }) => client_id}
        hrefOf={({ client_id }) => withFilters(links.phone(client_id), filters)}
        lookOf={(row) => (isChosen(row) ? 'sel' : row.silent ? 'off' : undefined)}
        columns={[
          {
            head: t('phones.driver'),
            cell: ({ employee, employee_name: name }) => (
              <>
                <strong>{name || employee}</strong>
                <span className="sub">{employee}</span>
              </>
            ),
          },
          {
            head: t('phones.phone'),
            cell: ({ device, app }) => (
              <>
                {device}
                <span className="sub">{app}</span>
              </>
            ),
          },
          { head: t('phones.pending'), cell: ({ pending }) => pending, isNumber: true },
          { head: t('phones.files'), cell: filesText, isNumber: true },
          {
            head: t('phones.oldest'),
            cell: (row) =>
              row.oldest_pending_at === null ? '–' : <Moment at={row.oldest_pending_at} of={row} inRow />,
          },
          { head: t('phones.heard'), cell: (row) => <Moment at={row.last_seen_at} of={row} inRow /> },
          { head: t('phones.quarantined'), cell: ({ quarantined }) => quarantined, isNumber: true },
          { head: t('phones.state'), cell: (row) => <State row={row} /> },
        ]}
      />
      {phone && <PhonePanel key={phone.client_id} phone={phone} />}
      <FaultNote fault={one.fault} />
      {one.data && !phone && <p className="mt4">{t('phone.gone')}</p>}
    </Page>
  );
}

/** An older app does not count its files. */
const filesText = ({ pending_files: n, pending_bytes: bytes }: Row) =>
  n === null ? (
    '–'
  ) : (
    <>
      {n}
      {n > 0 && bytes !== null && <span className="sub">{sizeText(bytes)}</span>}
    </>
  );

function State({ row: { revoked_at, silent, signed_in } }: { readonly row: Row }) {
  if (revoked_at !== null)
    return (
      <Chip icon="x" tone="bad">
        {t('phones.revoked')}
      </Chip>
    );
  if (silent)
    return (
      <Chip icon="off" tone="bad">
        {t('phones.silent')}
      </Chip>
    );
  return t(signed_in ? 'phones.signedIn' : 'phones.signedOut');
}

const exported = () => [
  { head: t('phones.driver'), text: ({ employee }: Row) => employee },
  { head: 'name', text: ({ employee_name }: Row) => employee_name },
  { head: 'facility', text: ({ facility }: Row) => facility },
  { head: t('phones.phone'), text: ({ device }: Row) => device },
  { head: 'app', text: ({ app }: Row) => app },
  { head: t('phones.pending'), text: ({ pending }: Row) => pending },
  { head: t('phones.files'), text: ({ pending_files }: Row) => pending_files },
  { head: 'bytes', text: ({ pending_bytes }: Row) => pending_bytes },
  { head: t('phones.oldest'), text: ({ oldest_pending_at }: Row) => oldest_pending_at },
  { head: t('phones.heard'), text: ({ last_seen_at }: Row) => last_seen_at },
  { head: t('phones.silent'), text: ({ silent }: Row) => silent },
  { head: t('phones.revoked'), text: ({ revoked_at }: Row) => revoked_at },
];
