import type { LocalRoute } from '@tailgate/client-sdk';
import { useRoute } from '@tailgate/client-sdk/react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { isUnsaved, reportSections, unrated } from '../model/load-report.ts';
import { LoadForm, missingSections } from '../parts/load-form.tsx';
import { useReports } from '../report-draft.ts';
import { useSaveReport } from '../save-report.ts';
import { loadWord } from '../words/load-words.ts';
import { t } from '../words/words.ts';

/** The load condition report before the route leaves the warehouse. */
export function LoadScreen() {
  const route = useRoute();
  return route ? <BeforeLeaving route={route} /> : null;
}

function BeforeLeaving({ route }: { readonly route: LocalRoute }) {
  const [{ leave }] = useReports();
  const { faults, save } = useSaveReport(route, 'leave');
  const missing = unrated(leave);
  const rated = reportSections.length - missing.length;
  const isWrong = faults.size > 0 && rated > 0;
  return (
    <Screen
      title={loadWord('load.title')}
      top={
        <Top
          back={links.route}
          backLabel={t('app.back')}
          over={`${route.id} · ${loadWord('load.before')}`}
          title={loadWord('load.title')}
        />
      }
      foot={
        <Gate
          note={
            missing.length > 0 ? (
              <>
                <strong>{t('stop.missingList')}</strong> {missingSections(missing)}
              </>
            ) : undefined
          }
          act={isUnsaved(leave) ? loadWord('load.save', { n: rated }) : t('done.toRoute')}
          more={isWrong ? loadWord('load.noteWrong') : undefined}
          icon={isUnsaved(leave) ? 'check' : 'arrow'}
          todo={isWrong || rated === 0}
          onAct={() => {
            if (save()) goBack(links.route);
          }}
        />
      }
      className="pad stack"
    >
      <LoadForm kind="leave" faults={faults} />
      <p className="cap">{loadWord('load.draft')}</p>
    </Screen>
  );
}
