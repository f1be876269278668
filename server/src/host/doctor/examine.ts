import type { Host } from '../host.ts';
import { checks, type CheckSettings } from './checks.ts';
import type { HostFacts } from './facts.ts';
import { readFacts, type ReadOptions } from './read-facts.ts';
import type { Level, Verdict } from './verdict.ts';

export interface Finding extends Verdict {
  readonly check: string;
}

/** The findings of the doctor. A single `no_go` makes a NO-GO. */
export interface Diagnosis {
  readonly go: boolean;
  readonly findings: readonly Finding[];
}

/** @throws HostError where the host is away */
export async function examine(host: Host, settings: CheckSettings, options: ReadOptions): Promise<Diagnosis> {
  return diagnose(await readFacts(host, options), settings);
}

function diagnose(facts: HostFacts, settings: CheckSettings): Diagnosis {
  return diagnosisOf(
    checks.flatMap((check) => {
      const verdict = check.judge(facts, settings);
      return verdict === undefined ? [] : [{ check: check.name, ...verdict }];
    }),
  );
}

export function diagnosisOf(findings: readonly Finding[]): Diagnosis {
  return { go: findings.every(({ level }) => level !== 'no_go'), findings };
}

const words: { readonly [level in Level]: string } = {
  go: 'GO',
  attention: 'LOOK',
  unknown: 'UNKNOWN',
  no_go: 'NO-GO',
};

/** One line a check, and the sum. */
export function printed({ go, findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ level, check, says, todo }) =>
    `${words[level].padEnd(7)}  ${check.padEnd(width)}  ${says}${todo === '' ? '' : ` → ${todo}`}`.trimEnd(),
  );
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const open = `${count('no_go')} refuse, ${count('attention')} to look at, ${count('unknown')} unknown`;
  return [...lines, `${go ? 'GO' : 'NO-GO'}: ${findings.length} checks, ${open}`].join('\n');
}
