import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { useState } from 'react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { returnCorrectionOf } from '../model/deliver.ts';
import { withReturn } from '../model/draft.ts';
import { isCounted, returnedNow } from '../model/lines.ts';
import { stepperWords } from '../parts/stepper-words.ts';
import { recorded } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** Something to take back: empty totes, pallets, returned goods. */
export function ReturnSheet({ stop: id, line: key }: { readonly stop: number; readonly line: string }) {
  const client = useClient();
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const line = stop?.collections.find((each) => each.key === key);
  const [draft, change] = useStopDraft(id);
  const known = line && (draft.returns[key] !== undefined || line.updates.returned > 0);
  // The planned count is the likely one.
  const [returned, setReturned] = useState(line ? (known ? returnedNow(line, draft) : line.quantity) : 0);
  if (!route || !stop || !line) return null;
  const close = (): void => goBack(links.stop(id));
  const save = (): void => {
    if (isCounted(stop)) {
      const receipt = client.stop(id, route.key).update(returnCorrectionOf(stop, line, returned));
      recorded({ receipt, stop: id, kind: 'corrected' });
    } else change((before) => withReturn(before, key, { ...before.returns[key], returned }));
    close();
  };
  return (
    <Sheet
      title={line.name}
      below={[line.id, line.container_type.toLowerCase()].filter(Boolean).join(' · ')}
      closeLabel={t('line.close')}
      onClose={close}
      foot={
        <Gate act={t(isCounted(stop) ? 'return.correct' : 'return.save', { n: returned })} icon="check" onAct={save} />
      }
    >
      <Stepper label={t('return.label')} value={returned} onChange={setReturned} words={stepperWords()}>
        {t('line.of', { n: line.quantity })}
      </Stepper>
    </Sheet>
  );
}
