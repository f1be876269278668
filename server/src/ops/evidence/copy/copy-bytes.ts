import type { ReadFile } from '../../../assets/file-bytes.ts';
import { isCosigned, readCheckpoint } from '../../../tlog/format/checkpoint.ts';
import type { StopEvidence } from '../evidence.ts';
import { filesOf } from '../make-pack.ts';
import { checkedFile, documentBytes, type PackInput } from '../pack/pack.ts';
import { withDamaged } from '../stop-evidence.ts';
import { customerCopy } from '../withhold.ts';

/** The document of a stop without its pack. A file whose bytes are not those of its receipt is named, and not shown. */
export async function* copyBytes(
  readFile: ReadFile,
  input: PackInput,
  checkpoint: string | undefined,
): AsyncGenerator<Uint8Array> {
  const { evidence } = input;
  const damaged = new Map<string, string>();
  for (const file of filesOf(evidence)) {
    const checked = file.member === null ? undefined : await checkedFile(readFile, evidence, file);
    if (checked && 'why' in checked) damaged.set(file.asset_id, checked.why);
  }
  const stops = async function* (): AsyncGenerator<StopEvidence> {
    for (const stop of evidence.stops) yield customerCopy(withDamaged(stop, damaged));
  };
  const isWitnessed = checkpoint !== undefined && isCosigned(readCheckpoint(checkpoint));
  yield* documentBytes(readFile, input, { stops: stops(), checkpoint, isWitnessed });
}
