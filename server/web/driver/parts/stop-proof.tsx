import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { NotSignedIn } from '@tailgate/client-sdk';
import type { ProofServer } from '@tailgate/client-sdk/proof';
import { stopProof } from '@tailgate/client-sdk/proof';
import { useDriver } from '@tailgate/client-sdk/react';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { useServices } from '../services.ts';
import { shareFiles } from '../share-files.ts';
import { whereWord } from '../words/where-words.ts';

interface ProofProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
}

/** The signed PDF of a stop that the office has, to show at the door or to share. A sample route has none. */
export function StopProof({ route, stop }: ProofProps) {
  const { proofs } = useServices();
  // A later change makes another document.
  return proofs ? <Proof key={stop.receipts.at(-1)} route={route} stop={stop} proofs={proofs} /> : null;
}

/** A faulty sentence, or the document. */
type Got = { readonly why: string } | { readonly file: File };

function Proof({ route, stop, proofs }: ProofProps & { readonly proofs: ProofServer }) {
  const driver = useDriver();
  const [isBusy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [got, setGot] = useState<Got>();
  const file = got && 'file' in got ? got.file : undefined;
  const get = async (): Promise<void> => {
    setBusy(true);
    const proof = { employeeId: driver?.employeeId ?? '', route: route.key, stop: stop.id };
    setGot(await ask(proofs, proof));
    setBusy(false);
  };
  const share = async (pdf: File): Promise<void> => setSaved((await shareFiles([pdf])) === 'saved');
  return (
    <div className="files stack" aria-live="polite">
      <h2 className="h-s">{whereWord('proof.title')}</h2>
      <p className="small">
        {got === undefined && whereWord(isBusy ? 'proof.busy' : 'proof.about')}
        {got && 'why' in got && got.why}
        {file && whereWord(isSaved ? 'proof.saved' : 'proof.ready', { name: file.name })}
      </p>
      {file ? (
        <button className="btn btn-main btn-wide" type="button" onClick={() => void share(file)}>
          <Icon name="share" />
          {whereWord('proof.share')}
        </button>
      ) : (
        <button className="btn btn-wide" type="button" disabled={isBusy} onClick={() => void get()}>
          <Icon name="file" />
          {whereWord('proof.get')}
        </button>
      )}
    </div>
  );
}

async function ask(server: ProofServer, proof: Parameters<typeof stopProof>[1]): Promise<Got> {
  try {
    const result = await stopProof(server, proof);
    if (result.kind === 'refused') return { why: sentenceOf(result.code, result.message) };
    const name = `proof_${proof.route.id}_${proof.stop}.pdf`;
    return { file: new File([result.pdf], name, { type: 'application/pdf' }) };
  } catch (error) {
    return { why: whereWord(error instanceof NotSignedIn ? 'proof.signIn' : 'proof.offline') };
  }
}

const refusals = {
  NOT_FOUND: 'proof.notYet',
  RECORDED_IN_SHADOW: 'proof.trial',
  NOT_ASSIGNED: 'proof.notYours',
  INVALID_TOKEN: 'proof.signIn',
  RATE_LIMITED: 'proof.many',
} as const;
const isKnown = (code: string): code is keyof typeof refusals => Object.hasOwn(refusals, code);

const sentenceOf = (code: string, why: string): string =>
  isKnown(code) ? whereWord(refusals[code]) : whereWord('where.lookSaid', { why });
