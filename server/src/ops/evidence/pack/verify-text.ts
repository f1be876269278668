import { members, packFormat } from '../../../../verify/src/format.ts';

/** The member that says how to check the pack with the tools of others. @param file the name of the pack */
export const verifyText = (file: string): string => `How to check this pack (${packFormat})

The commands need unzip, sha256sum and cmp (GNU), jq, openssl and pdfdetach (poppler-utils). None of them is
Tailgate's. Run them in this order, in the folder of the pack.

1. The archive is whole:

     unzip -t ${file}

2. Every member is the one of ${members.sums}:

     unzip -q ${file} -d evidence && cd evidence && sha256sum --check --strict ${members.sums}

3. The text of a change has the SHA-256 that the chain of custody in ${members.pdf} shows (here: the first change of the
   first stop; the two lines are equal):

     jq -r '.stops[0].facts[0].hash' ${members.json}
     jq -j '.stops[0].facts[0].body' ${members.json} | openssl dgst -sha256 -r

4. The PDF carries the same record (no output: the two are equal):

     pdfdetach -save 1 -o attached.json ${members.pdf} && cmp attached.json ${members.json}

The program tailgate-verify (npx tailgate-verify ${file}) checks more: every byte of the archive, every change,
every link between changes. A program that came with a pack would prove nothing: take it from its registry.

${members.json} names each file with the SHA-256 that the server computed at its receipt.

What this shows: the members belong together, and nothing in them has changed since ${members.sums} was written.
What it does not show: who wrote them. This format has no seal, no log proof and no outside witness yet. Compare the
pack with one that another party received earlier, or with the delivery mail.
`;
