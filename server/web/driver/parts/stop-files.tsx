import type { LocalStop } from '@tailgate/client-sdk';
import { useUploads, useWatch } from '@tailgate/client-sdk/react';
import { filesOf } from '@tailgate/client-sdk/uploads';
import { useMemo } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Marks } from '../../ui/parts/ticks.tsx';
import type { TickRow } from '../model/ticks.ts';
import { fileTick, ticksOf } from '../model/ticks.ts';
import { useServices } from '../services.ts';
import { useReceipts } from './stop-ticks.tsx';
import { sinceTime, t } from '../words/words.ts';
import { whereWord } from '../words/where-words.ts';

/** The files of a stop, each with its ticks: phone, server. The back office has the stop that names them. */
export function StopFiles({ stop }: { readonly stop: LocalStop }) {
  const files = filesOf(stop);
  const row = ticksOf(useReceipts(stop.receipts), stop.parked);
  if (files.length === 0) return null;
  const { signature_id } = stop.updates;
  const photos = files.filter((id) => id !== signature_id);
  return (
    <div className="files">
      <h2 className="h-s">{whereWord('where.files')}</h2>
      <ul className="filelist">
        {files.map((id) => (
          <FileRow
            key={id}
            id={id}
            row={row}
            icon={id === signature_id ? 'pen' : 'cam'}
            name={
              id === signature_id
                ? whereWord('where.signature')
                : whereWord('where.photo', { n: photos.indexOf(id) + 1 })
            }
          />
        ))}
      </ul>
    </div>
  );
}

interface FileRowProps {
  readonly id: string;
  readonly row: TickRow | undefined;
  readonly icon: 'pen' | 'cam';
  readonly name: string;
}

function FileRow({ id, row, icon, name }: FileRowProps) {
  const { uploads } = useServices();
  const state = useWatch(useMemo(() => uploads.file(id), [uploads, id]));
  const { sending } = useUploads();
  const percent = sending?.id === id ? Math.floor((100 * sending.sent) / Math.max(1, sending.size)) : 0;
  const server = fileTick(state, percent, row);
  const isElsewhere = server === 'elsewhere';
  const word = isElsewhere ? whereWord('where.fileElsewhere') : t(fileWords[server]);
  return (
    <li>
      <span>
        <Icon name={icon} />
        {name}
        {state?.at === 'here' && (
          <span className="cap"> {whereWord('where.fileHere', { time: sinceTime(state.since, Date.now()) })}</span>
        )}
        {isElsewhere && <span className="cap"> {word}</span>}
        {server === 'wait' && <span className="cap"> {whereWord('where.fileWaits')}</span>}
        {server === 'part' && <span className="cap"> {whereWord('where.sent', { n: percent })}</span>}
        {state?.at === 'failed' && <span className="cap"> {whereWord('where.failed', { why: state.reason })}</span>}
      </span>
      <Marks states={isElsewhere ? ['wait', 'wait'] : ['yes', server]} label={word} />
    </li>
  );
}

const fileWords = { yes: 'tick.server', look: 'tick.look', part: 'tick.inPart', wait: 'tick.phone' } as const;
