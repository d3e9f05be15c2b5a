import { STATES } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';
import { NotYetPage } from './not-yet.tsx';
import { PlaceList } from './place-list.tsx';

/** `/community/locations`. */
export function LocationsPage() {
  const t = useText();
  const cities = STATES.reduce((sum, state) => sum + state.cities.length, 0);
  return (
    <NotYetPage
      title={t('locationsTitle')}
      shortTitle={t('locations')}
      way={[{ label: t('community'), to: '/community' }]}
      lead={t('locationsLead', { cities, states: STATES.length })}
      notYet={t('notYetText')}
    >
      <PlaceList />
    </NotYetPage>
  );
}
