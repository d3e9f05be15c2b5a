import { useParams } from 'react-router-dom';
import { slugOf } from '@alpenglow/domain/contracts';
import { communityMessages as text, fill, LinkButton } from '@alpenglow/ui';
import { placeName, placeOf } from '../places.ts';
import { NotYetPage } from './not-yet.tsx';
import { PostPage } from './post.tsx';
import styles from './pages.module.css';

/** `/community/{country}`, with a state and a city. What is no country is the id of a post. */
export function PlacePage() {
  const { idOrCountry, country, state, city } = useParams();
  const place = placeOf(country ?? idOrCountry ?? '', state, city);
  if (!place) return <PostPage />;
  const name = placeName(place);
  const adsPath = place.state === null ? '/listings' : place.city === null ? `/listings?state=${place.state.code}` : `/city/${place.state.code.toLowerCase()}/${slugOf(place.city)}`;
  return (
    <NotYetPage title={fill(text.communityIn, { place: name })} notYet={text.notYetText}>
      <div className={styles['actions']}>
        <LinkButton to={adsPath} variant="primary">
          {fill(text.adsIn, { place: name })}
        </LinkButton>
        <LinkButton to="/community/locations">{text.allPlaces}</LinkButton>
      </div>
    </NotYetPage>
  );
}
