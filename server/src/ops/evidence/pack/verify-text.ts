import { logMembers, members, packFormat } from '../../../../verify/src/format.ts';

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

const sealText = `
5. The key of the log has signed ${members.sums}, and so every member ("Signature Verified Successfully"):

     ${sealCommand}

   The key is the one that ${logMembers.keys} names. Compare it with the one that the maker publishes (/log/keys.json on the
   server), or with one that you stored earlier.
`;

/**
 * The member that says how to check the pack with the tools of others.
 *
 * @param file the name of the pack
 */
export const verifyText = (
  file: string,
  { hasLog, isSealed }: { readonly hasLog: boolean; readonly isSealed: boolean },
): string => `How to check this pack (${packFormat})

The commands need unzip, sha256sum and cmp (GNU), jq, openssl 3 and pdfdetach (poppler-utils). None of them is
Tailgate's. Run them in this order, in the folder of the pack.

1. The archive is whole, and every member is the one of ${members.sums}:

     unzip -t ${file} && unzip -q ${file} -d evidence && cd evidence && sha256sum --check --strict ${members.sums}

2. The text of a change has a SHA-256 (here: the first change of the first stop):

     jq -j '.stops[0].facts[0].body' ${members.json} | openssl dgst -sha256 -r

3. It is the one that the chain of custody in ${members.pdf} shows:

     jq -r '.stops[0].facts[0].hash' ${members.json}

4. The PDF carries the same record (no output: the two are equal):

     pdfdetach -save 1 -o attached.json ${members.pdf} && cmp attached.json ${members.json}
${isSealed ? sealText : ''}
The program tailgate-verify (npx tailgate-verify ${file}) checks more: every byte of the archive, every change,
every link between changes, every proof of the log. A program that came with a pack would prove nothing: take it from
its registry, and name the keys that you trust (--trust).

${members.json} names each file with the SHA-256 that the server computed at its receipt.
${
  hasLog
    ? `The folder log has the leaf of each fact in a transparency log, and its proof (c2sp.org/tlog-proof). ${logMembers.growths}
shows that the log grew from the checkpoints of its last days without a change. A fact that just happened has no proof yet.
`
    : ''
}
What this shows: the members belong together, and nothing in them has changed since ${members.sums} was written.
${isSealed ? 'The holder of the key has made it.' : 'What it does not show: who wrote them. This pack has no seal.'}
${hasLog ? 'Each fact with a proof was in the log when the checkpoint was signed.' : 'No proof of a log is in this pack.'}
Nothing here shows what the owner of server and key did before. A checkpoint that somebody else stored earlier does
(tailgate-verify --checkpoint), and so does the signature of an outside witness.
`;
