import { packFormat } from '../evidence.ts';
import { members } from '../members.ts';

/** The member that says how to check the pack with the tools of others. @param file the name of the pack */
export const verifyText = (file: string): string => `How to check this pack (${packFormat})

The commands need unzip, sha256sum (GNU coreutils), jq and openssl. None of them is Tailgate's.

1. The archive is whole:

     unzip -t ${file}

2. Every member is the one of ${members.sums}:

     unzip -q ${file} -d evidence && cd evidence && sha256sum --check --strict ${members.sums}

3. The text of a change has the SHA-256 that the chain of custody in ${members.pdf} shows (here: the first change of the
   first stop; the two lines are equal):

     jq -r '.stops[0].facts[0].hash' ${members.json}
     jq -j '.stops[0].facts[0].body' ${members.json} | openssl dgst -sha256 -r

${members.json} names each file with the SHA-256 that the server computed at its receipt.

What this shows: the members belong together, and nothing in them has changed since ${members.sums} was written.
What it does not show: who wrote them. This format has no seal, no log proof and no outside witness yet. Compare the
pack with one that another party received earlier, or with the delivery mail.
`;
