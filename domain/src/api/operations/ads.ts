import {
  adPreviewFields,
  contactRequestFields,
  updateAdFields,
  newAdFields,
  reviewFields,
} from '../../listing/fields.ts';
import { registerResponse } from '../component.ts';
import {
  jsonBody,
  jsonResponse,
  defineOperation,
  conditionalRead,
  NOT_MODIFIED_RESPONSE,
  REVISION_HEADERS,
} from '../operation.ts';
import {
  adPreviewResponse,
  adResponse,
  adCountsResponse,
  adListResponse,
  adWriteResponse,
  contactResponse,
  reviewDeletedResponse,
  reviewResponse,
} from '../schemas/ads.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { adFilters, adId, countFilters, nearbyFilters, placeParameters, reviewId } from './parameters.ts';

const common = { tag: 'Ads' } as const;
const signedIn = { ...common, access: 'bearer' } as const;
const id = { id: adId };
const review = { id: adId, reviewId };
const REVIEW_ERRORS = ['AD_NOT_FOUND', 'REVIEW_NOT_FOUND', 'REVIEW_REMOVED', 'ONLY_REVIEWER'] as const;
/** Other names that requests may use for properties, mapped to the names of the properties. */
const ALIASES = { phone_number: 'phone', social_media: 'socialMedia', images: 'photos' } as const;
const IGNORED_FIELDS =
  'Fields that the server sets (`verified`, `isFeatured`, `status`, times, counts, …) may be sent and are ignored.';
const LIST_RESPONSES = {
  200: registerResponse('AdPage', jsonResponse(adListResponse, 'A page of ads.', ['ETag'])),
  304: NOT_MODIFIED_RESPONSE,
};

/** Operations on ads, below `/ads`. */
export const adOperations = [
  defineOperation('listAds', 'GET', '/ads', {
    ...common,
    failureMessage: 'Failed to load ads',
    summary: 'List and search ads',
    description:
      'Pages stay stable while ads are posted, bumped and deleted. Only a bump moves an ad up; editing never does. ' +
      'A search with the default order lists the most relevant ads first, and matches in titles before others.',
    queryParameters: adFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    responses: LIST_RESPONSES,
  }),
  defineOperation('countAds', 'GET', '/ads/counts', {
    ...common,
    failureMessage: 'Failed to load ads',
    summary: 'Count ads per state, city and category',
    description: 'Only `matching` uses the filters that are not about the place or the category.',
    queryParameters: countFilters,
    ...conditionalRead(adCountsResponse, 'The counts for this filter.'),
  }),
  defineOperation('listNearbyAds', 'GET', '/ads/nearby', {
    ...common,
    failureMessage: 'Failed to load ads',
    summary: 'List ads of a city and nearby cities',
    description: 'The nearest city comes first. Without a city, the largest city of the state is used.',
    queryParameters: nearbyFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    responses: LIST_RESPONSES,
  }),
  defineOperation('listFeaturedAds', 'GET', '/ads/featured', {
    ...common,
    failureMessage: 'Failed to load ads',
    summary: 'List featured ads',
    description: 'The ad that was bumped last comes first.',
    queryParameters: adFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    responses: LIST_RESPONSES,
  }),
  defineOperation('listAdsOfPlace', 'GET', '/ads/location/{first}/{second}', {
    ...common,
    failureMessage: 'Failed to load ads',
    summary: 'List the ads of a city',
    description: 'The path takes precedence over `state` and `city` of the query.',
    pathParameters: placeParameters,
    queryParameters: adFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    responses: LIST_RESPONSES,
  }),
  defineOperation('listOwnAds', 'GET', '/ads/user', {
    ...signedIn,
    failureMessage: 'Failed to load user ads',
    summary: 'List your own ads',
    ...conditionalRead(adListResponse, 'Your ads.'),
  }),
  defineOperation('getAd', 'GET', '/ads/{id}', {
    ...common,
    rateLimits: ['ad-details'],
    failureMessage: 'Error loading ads',
    summary: 'Get one ad in full',
    description:
      'The e-mail address, phone and social links are for the owner and admins. Access by an admin is logged. ' +
      'Other clients send `contactToken` to get phone and links. The error for an ad that is no longer online ' +
      'contains `formerAd`, unless the account of its owner is closed.',
    access: 'optional',
    pathParameters: id,
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(adResponse, 'The ad. `ETag` is its revision, for `If-Match`.', ['ETag']) },
    errors: ['AD_NOT_FOUND'],
  }),
  defineOperation('getContactDetails', 'POST', '/ads/{id}/contact', {
    ...common,
    service: 'query',
    rateLimits: ['contact-details', 'contact-details-of-account'],
    summary: 'Get phone and social links of an ad',
    description:
      'Needs the `contactToken` of the ad, which is valid for 15 minutes and in one network. ' +
      'A network, or an account, may send 30 requests an hour.',
    access: 'optional',
    pathParameters: id,
    body: jsonBody(contactRequestFields, { token: 'contactToken of the ad' }),
    responses: { 200: jsonResponse(contactResponse, 'The contact details.') },
    errors: ['CONTACT_TOKEN_INVALID', 'CONTACT_LIMIT_REACHED', 'AD_NOT_FOUND'],
  }),
  defineOperation('previewAd', 'POST', '/ads/preview', {
    ...signedIn,
    service: 'query',
    rateLimits: ['previews'],
    summary: 'Get the texts of an ad as visitors see them',
    description: 'Marks replace contact details.',
    body: jsonBody(adPreviewFields, { title: 'Calm evenings, call 702-555-0142', description: 'Kind company.' }),
    responses: { 200: jsonResponse(adPreviewResponse, 'The texts.') },
  }),
  defineOperation('countView', 'POST', '/ads/{id}/views', {
    ...common,
    service: 'query',
    rateLimits: ['ad-views'],
    summary: 'Count a view of an ad',
    description:
      'A page sends this request when it shows an ad to a visitor. A visitor counts once per ad in 30 minutes. ' +
      'Views by the owner, and views of unknown ads, do not count. The response does not show whether a view counted.',
    access: 'optional',
    pathParameters: id,
    responses: { 200: jsonResponse(emptyResultResponse, 'The view was handled.') },
  }),
  defineOperation('postAd', 'POST', '/ads', {
    ...signedIn,
    failureMessage: 'Failed to create ad',
    summary: 'Post your ad',
    description:
      'A provider has at most one ad. An `id` chosen by the client identifies the request: ' +
      `a repeated request returns the same ad. ${IGNORED_FIELDS}`,
    headers: ['Idempotency-Key'],
    body: jsonBody(
      newAdFields,
      {
        name: 'Anna',
        title: 'Good company',
        category: 'escort',
        state: 'NV',
        city: 'Las Vegas',
        description: 'Calm and kind.',
        price: '200',
        phone: '+1 702 555 0100',
        socialMedia: { instagram: '@alpen.glow' },
        photos: [],
      },
      ALIASES,
    ),
    responses: { 201: jsonResponse(adWriteResponse, 'The ad was posted.', [...REVISION_HEADERS, 'Location']) },
    errors: [
      'REQUIRED_FIELDS',
      'ONLY_PROVIDERS_POST',
      'VERIFICATION_REQUIRED',
      'ONE_ACTIVE_AD',
      'PHOTO_NOT_YOURS',
      'VIDEO_NOT_YOURS',
    ],
  }),
  defineOperation('updateAd', 'PUT', '/ads/{id}', {
    ...signedIn,
    failureMessage: 'Failed to update ad',
    summary: 'Change fields of your ad',
    description: `Absent fields keep their values. ${IGNORED_FIELDS}`,
    pathParameters: id,
    headers: ['If-Match', 'Idempotency-Key'],
    body: jsonBody(updateAdFields, { title: 'Very good company', price: null }, ALIASES),
    responses: { 200: jsonResponse(adWriteResponse, 'The ad was changed.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'ONLY_OWNER', 'AD_NOT_FOUND', 'PHOTO_NOT_YOURS', 'VIDEO_NOT_YOURS'],
  }),
  defineOperation('deleteAd', 'DELETE', '/ads/{id}', {
    ...signedIn,
    failureMessage: 'Failed to delete ad',
    summary: 'Delete your ad',
    pathParameters: id,
    headers: ['If-Match', 'Idempotency-Key'],
    responses: {
      200: jsonResponse(adWriteResponse, 'The ad was deleted, and you may post another.', REVISION_HEADERS),
    },
    errors: ['ONLY_OWNER', 'AD_NOT_FOUND'],
  }),
  defineOperation('bumpAd', 'POST', '/ads/{id}/bump', {
    ...signedIn,
    failureMessage: 'Error bumping ad',
    summary: 'Move your ad to the top',
    description: 'At most once in 30 minutes. `Retry-After` contains the remaining seconds.',
    pathParameters: id,
    headers: ['If-Match', 'Idempotency-Key'],
    responses: { 200: jsonResponse(adWriteResponse, 'The ad is at the top.', REVISION_HEADERS) },
    errors: ['ONLY_PROVIDERS_BUMP', 'ONLY_OWNER', 'AD_NOT_FOUND', 'AD_HIDDEN', 'BUMP_COOLDOWN'],
  }),
  defineOperation('reviewAd', 'POST', '/ads/{id}/reviews', {
    ...signedIn,
    rateLimits: ['reviews'],
    summary: 'Review an ad',
    description: 'Verified clients, once per ad. The default name is the display name.',
    pathParameters: id,
    headers: ['Idempotency-Key'],
    body: jsonBody(reviewFields, { name: 'Ben', comment: 'A pleasant evening.', rating: 5 }),
    responses: { 201: jsonResponse(reviewResponse, 'The review was added.', REVISION_HEADERS) },
    errors: [
      'REQUIRED_FIELDS',
      'AD_NOT_FOUND',
      'ONLY_CLIENTS_REVIEW',
      'OWN_AD_REVIEW',
      'ACCOUNT_TOO_NEW',
      'ALREADY_REVIEWED',
      'REVIEW_REMOVED',
    ],
  }),
  defineOperation('editReview', 'PUT', '/ads/{id}/reviews/{reviewId}', {
    ...signedIn,
    rateLimits: ['reviews'],
    summary: 'Edit your review',
    pathParameters: review,
    headers: ['Idempotency-Key'],
    body: jsonBody(reviewFields, { comment: 'Kind.', rating: 4 }),
    responses: { 200: jsonResponse(reviewResponse, 'Changed.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', ...REVIEW_ERRORS],
  }),
  defineOperation('deleteReview', 'DELETE', '/ads/{id}/reviews/{reviewId}', {
    ...signedIn,
    summary: 'Delete your review',
    pathParameters: review,
    headers: ['Idempotency-Key'],
    responses: { 200: jsonResponse(reviewDeletedResponse, 'Deleted.', REVISION_HEADERS) },
    errors: REVIEW_ERRORS,
  }),
];
