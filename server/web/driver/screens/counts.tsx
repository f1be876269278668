import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { useState } from 'react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { Counts } from '../model/counts.ts';
import { countsCorrectionOf, countsOf, withCounts } from '../model/counts.ts';
import { isCounted, sum } from '../model/lines.ts';
import { stepperWords } from '../parts/stepper-words.ts';
import { record } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** All that goes back from a stop, counted on one sheet. Each tap is kept; the gate keeps the others as they show. */
export function CountsSheet({ stop: id }: { readonly stop: number }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  return route && stop ? <OpenCounts route={route} stop={stop} /> : null;
}

function OpenCounts({ route, stop }: { readonly route: LocalRoute; readonly stop: LocalStop }) {
  const client = useClient();
  const [draft, change] = useStopDraft(stop.id);
  const [tapped, setTapped] = useState<Counts>({});
  const isCorrection = isCounted(stop);
  const counts = countsOf(stop, draft).map((each) => ({ ...each, shown: tapped[each.line.key] ?? each.shown }));
  const back = sum(counts, ({ shown }) => shown);
  const planned = sum(counts, ({ line }) => line.quantity);
  const close = (): void => goBack(links.stop(stop.id));
  const set = (key: string, count: number): void => {
    setTapped({ ...tapped, [key]: count });
    // A correction is one change, recorded by the gate.
    if (!isCorrection) change((before) => withCounts(before, { [key]: count }));
  };
  const save = (): void => {
    const shown = Object.fromEntries(counts.map(({ line, shown: count }) => [line.key, count]));
    if (isCorrection) {
      const correct = () => client.stop(stop.id, route.key).update(countsCorrectionOf(stop, shown));
      if (!record({ stop: stop.id, kind: 'corrected' }, correct)) return;
    } else change((before) => withCounts(before, shown));
    close();
  };
  return (
    <Sheet
      title={t('stop.goBack')}
      below={t('counts.hint')}
      closeLabel={t('app.close')}
      onClose={close}
      foot={
        <Gate
          act={t(isCorrection ? 'return.correct' : 'return.save', { n: back })}
          more={t('line.of', { n: planned })}
          icon="check"
          onAct={save}
        />
      }
    >
      <ul className="counts">
        {counts.map(({ line, shown }) => (
          <li key={line.key}>
            <p className="name" aria-hidden="true">
              {line.name}
            </p>
            <Stepper
              small
              label={line.name}
              value={shown}
              onChange={(count) => set(line.key, count)}
              words={stepperWords()}
            >
              {t('line.of', { n: line.quantity })}
              {shown !== line.quantity && ` · ${differenceWord(shown - line.quantity)}`}
            </Stepper>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

const differenceWord = (more: number): string =>
  more > 0 ? t('count.more', { n: more }) : t('count.less', { n: -more });
