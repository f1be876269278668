import type { Client } from '@tailgate/client-sdk';
import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import type { SampleParts } from '../services.ts';
import { later } from '../words/later-words.ts';
import { barcodeOf } from './sample-goods.ts';
import { sampleDriver } from './sample-stops.ts';

interface SampleRun {
  readonly client: Client;
  readonly server: ScriptedServer;
  readonly signIn: () => Promise<void>;
  /** Deletes all that the sample route has stored. */
  readonly end: () => Promise<void>;
}

/** The parts that the sample route adds to the app. */
export function sampleParts(run: SampleRun): SampleParts {
  return {
    Ribbon: () => <Ribbon {...run} />,
    SignIn: () => (
      <Banner icon="key" tone="info">
        <p>{later('sample.signInWhy')}</p>
        <p className="mt">
          <button className="btn btn-wide" type="button" onClick={() => void run.signIn()}>
            {later('sample.signIn', { name: sampleDriver.name })}
          </button>
        </p>
      </Banner>
    ),
  };
}

/** Above every screen: that this is no real route, the network's switch, and the ways out. */
function Ribbon({ client, server, end }: SampleRun) {
  const [isOn, setOn] = useState(!server.refuse);
  const [isOpen, setOpen] = useState(false);
  const turn = (): void => {
    server.refuse = isOn;
    if (isOn) server.cut();
    else client.syncNow();
    setOn(!isOn);
  };
  const leaveTo = async (address: string): Promise<void> => {
    await end();
    location.replace(address);
  };
  return (
    <aside className="ribbon" aria-label={later('sample.title')}>
      <div className="ribbon-row">
        <button className="btn btn-quiet" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span>
            <strong>{later('sample.title')}</strong> <small>{later('sample.ribbon')}</small>
          </span>
          <Icon name="down" />
        </button>
        <button className="btn" type="button" role="switch" aria-checked={isOn} onClick={turn}>
          <Icon name={isOn ? 'cloud' : 'off'} />
          {later(isOn ? 'sample.on' : 'sample.off')}
        </button>
      </div>
      {isOpen && (
        <div className="ribbon-more stack">
          <ul>
            <li>{later('sample.tipOff')}</li>
            <li>{later('sample.tipOffice')}</li>
            <li>{later('sample.tipScan', { code: barcodeOf('cigarettes') })}</li>
            <li>{later('sample.tipKill')}</li>
          </ul>
          <div className="btns">
            <button className="btn" type="button" onClick={() => void leaveTo('./?demo')}>
              {later('sample.again')}
            </button>
            <button className="btn" type="button" onClick={() => void leaveTo('./')}>
              {later('sample.leave')}
            </button>
          </div>
        </div>
      )}
    </aside>
  );
}
