import { useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { findCity } from '@alpenglow/domain/contracts';
import { EmptyState, listingsMessages as text, Page, PageHeading } from '@alpenglow/ui';
import { Cities } from '../lists/cities.tsx';
import { filterOf, searchOf } from '../lists/filters.ts';
import { ListPage } from './list-page.tsx';

/** `/city/{city}` and `/city/{state}/{city}`. A place chosen in the bar leads on to `/listings`. */
export function CityPage() {
  const { state, city = '' } = useParams();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const place = findCity(city, state);

  if (!place) {
    return (
      <Page>
        <EmptyState title={<PageHeading documentTitle={text.placeUnknownTitle}>{text.placeUnknownTitle}</PageHeading>}>
          <p>{text.placeUnknownText}</p>
        </EmptyState>
        <Cities />
      </Page>
    );
  }
  const here = { state: place.state.code, city: place.city };
  return (
    <ListPage
      filter={{ ...filterOf(search), ...here }}
      onChange={(filter, how) => {
        if (filter.state !== here.state || filter.city !== here.city) void navigate(`/listings${searchOf(filter)}`);
        else setSearch(searchOf({ ...filter, state: null, city: null }), { replace: how === 'typing', preventScrollReset: true });
      }}
    />
  );
}
