import { STATES } from '@alpenglow/domain/contracts';
import { communityMessages as text, fill } from '@alpenglow/ui';
import { NotYetPage } from './not-yet.tsx';
import { PlaceList } from './place-list.tsx';

/** `/community/locations`. */
export function LocationsPage() {
  const cities = STATES.reduce((sum, state) => sum + state.cities.length, 0);
  return (
    <NotYetPage title={text.locations} lead={fill(text.locationsLead, { cities, states: STATES.length })} notYet={text.notYetText}>
      <PlaceList />
    </NotYetPage>
  );
}
