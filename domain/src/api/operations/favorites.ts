import { newFavoriteFields } from '../../favorites/fields.ts';
import { jsonBody, jsonResponse, defineOperation, conditionalRead, REVISION_HEADERS } from '../operation.ts';
import { favoriteResponse, favoritesResponse } from '../schemas/favorites.ts';
import { adId, details, userIdOrEmail } from './parameters.ts';

const common = { tag: 'Favorites', access: 'bearer' } as const;

/** Operations on the favorite ads of a client, below `/favorites`. */
export const favoriteOperations = [
  defineOperation('listFavorites', 'GET', '/favorites/{id}', {
    ...common,
    summary: 'List your favorites',
    description: 'The last added favorite comes first. An admin may request the favorites of other users.',
    pathParameters: { id: userIdOrEmail },
    queryParameters: { details },
    ...conditionalRead(favoritesResponse, 'The ads that still exist.'),
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('addFavorite', 'POST', '/favorites', {
    ...common,
    failureMessage: 'Error adding to favorites',
    summary: 'Add an ad to your favorites',
    headers: ['Idempotency-Key'],
    body: jsonBody(newFavoriteFields, { adId: adId.example }),
    responses: {
      201: jsonResponse(favoriteResponse, 'The favorite was added.', REVISION_HEADERS),
      200: jsonResponse(favoriteResponse, 'The ad was already a favorite.', REVISION_HEADERS),
    },
    errors: ['ONLY_CLIENTS_FAVORITE', 'TOO_MANY_FAVORITES', 'AD_NOT_FOUND'],
  }),
  defineOperation('removeFavorite', 'DELETE', '/favorites/{id}', {
    ...common,
    summary: 'Remove an ad from your favorites',
    description: 'The id of a favorite is the id of its ad. An ad that is not a favorite is ignored.',
    pathParameters: { id: adId },
    headers: ['Idempotency-Key'],
    responses: { 200: jsonResponse(favoriteResponse, 'The ad is not a favorite.', REVISION_HEADERS) },
    errors: ['AD_NOT_FOUND'],
  }),
];
