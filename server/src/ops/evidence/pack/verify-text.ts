import { containerMembers, logMembers, members, packFormat, stampMember } from '../../../../verify/src/format.ts';
import { unwitnessedText } from '../evidence.ts';

/** The DER bytes before an Ed25519 key (RFC 8410), as printf takes them. */
const keyHead = String.raw`0*0\005\006\003+ep\003!\000`;

/** In one line: the sealed digest is the one of the sums, and the signature of the note is valid. */
const sealCommand = [
  `grep -qx "$(sha256sum < ${members.sums} | cut -c-64)" ${logMembers.seal}`,
  `sed '/^$/,$d' ${logMembers.seal} > sealed.txt`,
  `sed '1,/^$/d; s/.* //' ${logMembers.seal} | base64 -d | tail -c 64 > sealed.sig`,
  `(printf '${keyHead}'; jq -r --arg o "$(sed -n 2p sealed.txt)" '[.keys[] | select(.origin == $o)][-1].key' ${logMembers.keys} | cut -d+ -f3- | base64 -d | tail -c 32) > sealed.der`,
  'openssl pkeyutl -verify -pubin -keyform DER -inkey sealed.der -rawin -in sealed.txt -sigfile sealed.sig',
].join(' && ');

/** The contents of a pack that its commands depend on. */
interface Contents {
  readonly hasLog: boolean;
  /** An outside witness has signed each of its checkpoints. */
  readonly isWitnessed: boolean;
  /** By the key of the log. */
  readonly isSealed: boolean;
  /** By a certificate. */
  readonly isSigned: boolean;
  /** By an authority for time stamps, unless it gave no answer. */
  readonly isStamped: boolean;
  /** The text of the first change of the first stop is there. */
  readonly hasText: boolean;
}

interface Step {
  readonly what: string;
  readonly command: string;
  /** How to read its output. */
  readonly note?: string;
}

const { manifest, signature } = containerMembers;

const whole = (file: string): Step => ({
  what: `The archive is whole ("No errors detected"), and every member is the one of ${members.sums} ("OK")`,
  command: `unzip -t ${file} && unzip -q ${file} -d evidence && cd evidence && sha256sum --check --strict ${members.sums}`,
});

const container: Step = {
  what: `A certificate has signed the container ("CMS Verification successful"), and so ${members.sums}`,
  // The sentence of openssl comes last: it is the result of both.
  command: `grep -qF "$(openssl dgst -sha256 -binary ${members.sums} | base64)" ${manifest} && openssl cms -verify -binary -noverify -inform DER -in ${signature} -content ${manifest} -out manifest.xml`,
};

const document: Step = {
  what: `The same certificate has signed the PDF ("Signature is Valid", "Total document signed")`,
  command: `pdfsig -nocert ${members.pdf} > pdfsig.txt && cat pdfsig.txt && grep -q 'Signature is Valid' pdfsig.txt && grep -q 'Total document signed' pdfsig.txt`,
  note: `The certificate is inside: openssl pkcs7 -inform DER -in ${signature} -print_certs. A self-made one names its maker by his own
   word alone: compare it with the one that the maker gave you elsewhere.`,
};

const change = `test "$(jq -j '.stops[0].facts[0].body' ${members.json} | openssl dgst -sha256 -r | cut -c-64)" = "$(jq -r '.stops[0].facts[0].hash' ${members.json})" && jq -r '.stops[0].facts[0].hash' ${members.json}`;
const attached = `pdfdetach -save 1 -o attached.json ${members.pdf} && cmp attached.json ${members.json}`;

const record = (hasText: boolean): Step =>
  hasText
    ? {
        what: `The PDF carries the same record, and the first change has the SHA-256 that the chain of custody in ${members.pdf} shows (it is printed)`,
        command: `${attached} && ${change}`,
      }
    : { what: 'The PDF carries the same record (no output: the two are equal)', command: attached };

const note: Step = {
  what: `The key of the log has signed ${members.sums}, and so every member before it ("Signature Verified Successfully")`,
  command: sealCommand,
  note: `The key is the one that ${logMembers.keys} names. Compare it with the one that the maker publishes (/log/keys.json on the
   server), or with one that you stored earlier.`,
};

const stepText = ({ what, command, note: more }: Step, i: number): string =>
  `${i + 1}. ${what}:\n\n     ${command}\n${more ? `\n   ${more}\n` : ''}`;

/**
 * The member that says how to check the pack with the tools of others.
 *
 * @param file the name of the pack
 */
export function verifyText(file: string, contents: Contents): string {
  const { hasLog, isWitnessed, isSealed, isSigned, isStamped, hasText } = contents;
  const steps = [whole(file), ...(isSigned ? [container, document] : []), record(hasText), ...(isSealed ? [note] : [])];
  const signers = [...(isSigned ? ['of the certificate'] : []), ...(isSealed ? ['of the key of the log'] : [])];
  return `How to check this pack (${packFormat})

The commands need unzip, sha256sum and cmp (GNU), jq, openssl 3, pdfsig and pdfdetach (poppler-utils). None of them is
Tailgate's. Run them in this order, in the folder of the pack. A command that finds a fault
names it, or does not print the words in quotes.

${steps.map(stepText).join('\n')}
The program tailgate-verify (npx tailgate-verify ${file}) checks more: every byte of the archive, every change,
every link between changes, every proof of the log. Its package has a page, verify.html, that does so by a double click. A
program or a page that came with a pack would prove nothing: take it from its registry, and name the keys that you
trust (--trust).

${members.json} names each file with the SHA-256 that the server computed at its receipt.
${
  hasLog
    ? `The folder log has the leaf of each fact in a transparency log, and its proof (c2sp.org/tlog-proof). ${logMembers.growths}
shows that the log grew from the checkpoints of its last days without a change. A fact that just happened has no proof yet.
`
    : ''
}${
    isStamped
      ? `${stampMember}, where the authority answered, is its time stamp (RFC 3161). With its certificate from elsewhere:
   openssl ts -verify -data ${members.sums} -in ${stampMember} -CAfile authority.pem
`
      : ''
  }
What this shows: the members belong together, and nothing in them has changed since ${members.sums} was written.
${signers.length > 0 ? `The holder ${signers.join(' and ')} has made it.` : 'What it does not show: who wrote them. This pack has no seal.'}
${hasLog ? 'Each fact with a proof was in the log when the checkpoint was signed.' : 'No proof of a log is in this pack.'}
Nothing here shows what the owner of server and keys did before. A checkpoint that somebody else stored earlier does
(tailgate-verify --checkpoint)${isWitnessed ? ', and so does the signature of an outside witness.' : `.\n${unwitnessedText}`}
`;
}
