import { newFavorite } from '../../favorites/fields.ts';
import { body, json, operation, readable, WRITTEN, type Operation } from '../operation.ts';
import { favoriteAnswer, favoritesAnswer } from '../schemas/favorites.ts';
import { adId, userIdOrEmail } from './parameters.ts';

const of = { tag: 'Favorites', access: 'bearer' } as const;

/** `/favorites` of the specification, section 7. */
export const favoriteOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/favorites/{userId}',
    id: 'listFavorites',
    summary: 'List your favorites',
    description: 'The favorite added last comes first. An admin may ask for those of others.',
    pathParameters: { userId: userIdOrEmail },
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(favoritesAnswer, 'The ads still there.'),
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/favorites',
    id: 'addFavorite',
    summary: 'Keep an ad as a favorite',
    headers: ['Idempotency-Key'],
    body: body(newFavorite, { adId: adId.example }),
    answers: {
      201: json(favoriteAnswer, 'It is kept.', WRITTEN),
      200: json(favoriteAnswer, 'It was kept already.', WRITTEN),
    },
    errors: ['ONLY_CLIENTS_FAVORITE', 'TOO_MANY_FAVORITES', 'AD_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'DELETE',
    path: '/favorites/{id}',
    id: 'removeFavorite',
    summary: 'Take an ad off your favorites',
    description: 'The id of a favorite is that of its ad. Nothing happens when it is not one of them.',
    pathParameters: { id: adId },
    headers: ['Idempotency-Key'],
    answers: { 200: json(favoriteAnswer, 'It is off.', WRITTEN) },
    errors: ['AD_NOT_FOUND'],
  }),
];
