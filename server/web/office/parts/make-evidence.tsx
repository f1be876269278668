import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { faultOf, useRead, type Fault } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useServices } from '../services.ts';
import { may } from '../session.ts';
import { t } from '../words/words.ts';
import { EvidenceLinks } from './evidence-links.tsx';
import { FaultNote } from './fault-note.tsx';
import { NeedsRole } from './needs-role.tsx';
import { OpenPanel } from './open-panel.tsx';

type Preview = DataOf<'previewEvidence'>;
const parts = ['names', 'photos'] as const;

/** The evidence pack of a stop: a preview with its missing parts, and the file in two clicks. */
export function MakeEvidence({ stop }: { readonly stop: StopKey }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <OpenPanel title={t('evidence.title')} icon="dl" act={t('evidence.open')} isOpen={isOpen} onToggle={setOpen}>
      {isOpen ? <Pack stop={stop} /> : <p className="panel-body small">{t('evidence.about')}</p>}
    </OpenPanel>
  );
}

function Pack({ stop }: { readonly stop: StopKey }) {
  const { facility, route_id, week_end, stop_id } = stop;
  const { api, live } = useServices();
  const [left, setLeft] = useState<readonly (typeof parts)[number][]>([]);
  const [isBusy, setBusy] = useState(false);
  const [saved, setSaved] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const query = { facility, route_id, week_end, stop_id, without: [...left] };
  const { data, fault: unread } = useRead('previewEvidence', { query });
  const make = async ({ name }: Preview): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    setSaved(undefined);
    try {
      saveFile(await api.bytes('makeEvidence', { query }, new AbortController().signal), name);
      setSaved(name);
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setBusy(false);
      live.changed();
    }
  };
  return (
    <div className="panel-body">
      <FaultNote fault={fault ?? unread} />
      {saved !== undefined && (
        <Banner icon="check" tone="go" role="status">
          <p>{t('evidence.done', { name: saved })}</p>
        </Banner>
      )}
      {data && <Contents preview={data} />}
      <NeedsRole role="repair" />
      {may('repair') && (
        <>
          {parts.map((part) => (
            <p key={part}>
              <button
                className="btn"
                type="button"
                aria-pressed={left.includes(part)}
                onClick={() => setLeft(left.includes(part) ? left.filter((each) => each !== part) : [...left, part])}
              >
                {left.includes(part) && <Icon name="check" />}
                {t(`evidence.without.${part}`)}
              </button>
            </p>
          ))}
          {left.length > 0 && <p className="small">{t('evidence.hashes')}</p>}
          <p>
            <button
              className="btn btn-go"
              type="button"
              aria-disabled={data === undefined || isBusy}
              onClick={() => data && void make(data)}
            >
              {t(isBusy ? 'evidence.busy' : 'evidence.act')}
            </button>
          </p>
          <EvidenceLinks stop={stop} query={query} />
        </>
      )}
    </div>
  );
}

/** The parts of the pack, and the missing ones. */
function Contents({ preview: { name, changes, files, bytes, stops } }: { readonly preview: Preview }) {
  const lacks = new Set(stops.flatMap(({ missing }) => missing.map(({ part }) => part)));
  return (
    <>
      <p>
        <strong className="breaks">{name}</strong>
      </p>
      <p className="small">
        {t('evidence.changes', { n: changes })} · {t('evidence.files', { n: files, kb: Math.ceil(bytes / 1_000) })}
      </p>
      {stops.some(({ nothing_delivered }) => nothing_delivered !== '') && (
        <Banner icon="warn" tone="warn">
          <p>{t('evidence.nothing')}</p>
        </Banner>
      )}
      {lacks.size > 0 && (
        <Banner icon="warn" tone="plain">
          <p>{t('evidence.lacks')}</p>
          <ul>
            {[...lacks].map((part) => (
              <li key={part}>{t(`evidence.lacks.${part}`)}</li>
            ))}
          </ul>
        </Banner>
      )}
    </>
  );
}
