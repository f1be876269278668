import type { ConnectionStatus } from '@tailgate/client-sdk';
import { useDriver, useStatus, useWatch } from '@tailgate/client-sdk/react';
import { Icon } from '../../ui/icons.tsx';
import { links } from '../links.ts';
import { saving } from '../saving.ts';
import { sessionEnd } from '../session-end.ts';
import { sinceTime, t } from '../words/words.ts';

/** The first line of every screen: what the network does, and that the phone may be put away. */
export function TopLine() {
  const { connection, offlineSince, storage, unsaved, pending, uploading, employeeId = '' } = useStatus();
  const driver = useDriver();
  const ended = useWatch(sessionEnd);
  const writes = useWatch(saving);
  const isOn = connection === 'online';
  const underWay = (pending[employeeId] ?? 0) + (uploading[employeeId] ?? 0);
  const saved = isOn ? (underWay > 0 ? t('net.underWay', { n: underWay }) : t('net.saved')) : t('net.savedHere');
  return (
    <header className={isOn ? 'state on' : 'state'}>
      <Icon name={isOn || connection === 'connecting' ? 'cloud' : 'off'} />
      <p role="status">
        <strong>{connection === 'signed_out' ? endSentence(ended) : networkSentence(connection, offlineSince)}</strong>{' '}
        {storage === 'failing'
          ? t('net.full')
          : unsaved > 0 || writes.length > 0
            ? t('net.saving')
            : `${saved} ${t('net.away')}`}
      </p>
      {driver?.signedIn === false && (
        <a className="btn btn-quiet" href={links.signIn}>
          {t('net.signInAgain')}
        </a>
      )}
    </header>
  );
}

function networkSentence(connection: ConnectionStatus, since: number | undefined): string {
  if (connection === 'offline' && since !== undefined) return t('net.off', { time: sinceTime(since, Date.now()) });
  return t(networkWords[connection]);
}

const endSentence = (reason: string | undefined): string =>
  t(reason === 'evicted' ? 'net.evicted' : reason === 'password_changed' ? 'net.passwordChanged' : 'net.signedOut');

const networkWords = {
  online: 'net.on',
  connecting: 'net.connecting',
  offline: 'net.offNow',
  refused: 'net.refused',
  update_needed: 'net.update',
  signed_out: 'net.signedOut',
} as const;
