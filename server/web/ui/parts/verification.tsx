import type { Verification } from '../../../verify/src/verify-pack.ts';
import { lineOf, outcomeWords, type Language } from '../../../verify/src/words/words.ts';
import type { IconName } from '../icons.tsx';
import { Banner, Chip, type Tone } from './chip.tsx';

type Check = Verification['checks'][number];

const looks: Readonly<Record<Check['state'], readonly [IconName, Tone]>> = {
  passed: ['check', 'go'],
  failed: ['x', 'bad'],
  unknown: ['warn', 'warn'],
  open: ['warn', 'warn'],
  absent: ['minus', 'plain'],
  unchecked: ['minus', 'plain'],
};

const tones: Readonly<Record<Verification['outcome'], readonly [IconName, Tone]>> = {
  proven: ['check', 'go'],
  unsigned: ['warn', 'warn'],
  gaps: ['warn', 'warn'],
  tampered: ['x', 'bad'],
  unreadable: ['x', 'bad'],
};

/** The language of the verifier's sentences. @param code that of the page */
export const languageOf = (code: string): Language => (code === 'es' ? 'es' : 'en');

/** The result of a check of a pack, in a sentence. */
export function Outcome({ outcome, language }: Pick<Verification, 'outcome'> & { readonly language: Language }) {
  const [icon, tone] = tones[outcome];
  return (
    <Banner icon={icon} tone={tone}>
      <p>{outcomeWords(outcome, language)}</p>
    </Banner>
  );
}

/** A line for each check. */
export function CheckLines({ checks, language }: Pick<Verification, 'checks'> & { readonly language: Language }) {
  return (
    <ul className="panel-body">
      {checks.map((check) => {
        const { mark, text, details } = lineOf(check, language);
        const [icon, tone] = looks[check.state];
        return (
          <li key={check.check}>
            <Chip icon={icon} tone={tone}>
              {mark}
            </Chip>{' '}
            {text}
            {details.map((detail) => (
              <span key={detail} className="sub breaks">
                {detail}
              </span>
            ))}
          </li>
        );
      })}
    </ul>
  );
}
