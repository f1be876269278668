import type { ConnectionStatus } from '@tailgate/client-sdk';
import { useDriver, useStatus, useWatch } from '@tailgate/client-sdk/react';
import { Icon } from '../../ui/icons.tsx';
import { connectionSince } from '../connection-age.ts';
import { unsaved } from '../recorded.ts';
import { t, time } from '../words/words.ts';

/** The first line of every screen: what the network does, and that the phone may be put away. */
export function TopLine() {
  const status = useStatus();
  const driver = useDriver();
  const since = useWatch(connectionSince);
  const isSaving = useWatch(unsaved) > 0;
  const { connection, employeeId = '' } = status;
  const isOn = connection === 'online';
  const underWay = (status.pending[employeeId] ?? 0) + (status.uploading[employeeId] ?? 0);
  return (
    <div className={isOn ? 'state on' : 'state'} role="status">
      <Icon name={isOn || connection === 'connecting' ? 'cloud' : 'off'} />
      <p>
        <strong>{networkSentence(connection, since)}</strong>{' '}
        {status.storage === 'failing'
          ? t('net.full')
          : isSaving
            ? t('net.saving')
            : `${savedSentence(isOn, underWay)} ${t('net.away')}`}
      </p>
      {driver?.signedIn === false && (
        <a className="btn btn-quiet" href="#/sign-in">
          {t('net.signInAgain')}
        </a>
      )}
    </div>
  );
}

function networkSentence(connection: ConnectionStatus, since: number | undefined): string {
  if (connection === 'offline' && since !== undefined) return t('net.off', { time: time(since) });
  return t(networkWords[connection]);
}

const networkWords = {
  online: 'net.on',
  connecting: 'net.connecting',
  offline: 'net.offNow',
  refused: 'net.refused',
  update_needed: 'net.update',
  signed_out: 'net.signedOut',
} as const;

function savedSentence(isOn: boolean, underWay: number): string {
  if (!isOn) return t('net.savedHere');
  return underWay > 0 ? t('net.underWay', { n: underWay }) : t('net.saved');
}
