import { unsubscribeFields, followFields } from '../../follows/fields.ts';
import {
  hidePostFields,
  lockThreadFields,
  moveThreadFields,
  newReplyFields,
  newThreadFields,
  pinThreadFields,
  editPostFields,
  previewFields,
} from '../../thread/fields.ts';
import type { ErrorCode } from '../../error-catalogue.ts';
import { registerResponse } from '../component.ts';
import {
  jsonBody,
  emptyResponse,
  jsonResponse,
  defineOperation,
  conditionalRead,
  REVISION_HEADERS,
  POSITION_HEADERS,
} from '../operation.ts';
import {
  communityLocationsResponse,
  followResponse,
  followListResponse,
  helpfulResponse,
  hiddenPostsResponse,
  postHistoryResponse,
  previewResponse,
  threadResponse,
  threadListResponse,
  threadWriteResponse,
} from '../schemas/community.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import {
  pagingParameters,
  postNumber,
  threadFilters,
  threadId,
  threadIdOrSlug,
  threadPaging,
  unsubscribeToken,
} from './parameters.ts';

const MAILS_ENDED = registerResponse(
  'MailsEnded',
  jsonResponse(emptyResultResponse, 'These mails are switched off.', POSITION_HEADERS),
);
const common = { tag: 'Community' } as const;
const admin = { tag: 'Moderation', access: 'moderator' } as const;
const signedIn = { ...common, access: 'bearer' } as const;
const write = { ...signedIn, headers: ['Idempotency-Key'] } as const;
const adminWrite = { ...admin, headers: ['Idempotency-Key'] } as const;
const NO_POST: readonly ErrorCode[] = ['THREAD_NOT_FOUND', 'POST_NOT_FOUND'];
/** Error codes of the rules for new posts of members, such as the limits against spam. */
const SPAM: readonly ErrorCode[] = [
  'REQUIRED_FIELDS',
  'VERIFICATION_REQUIRED',
  'ACCOUNT_TOO_NEW',
  'TOO_MANY_LINKS',
  'TOO_MANY_POSTS',
  'DUPLICATE_TEXT',
];
const A_PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };
const A_POST = { id: threadId, number: postNumber };

/** Operations on the threads and posts of the community. */
export const communityOperations = [
  defineOperation('listThreads', 'GET', '/community/threads', {
    ...common,
    summary: 'List threads',
    description:
      'The list covers all places, a country, a state or a city. In the list of a city, pinned threads come first. ' +
      'Hidden and deleted threads are not listed.',
    queryParameters: threadFilters,
    ...conditionalRead(threadListResponse, 'A page of threads.'),
  }),
  defineOperation('getThread', 'GET', '/community/threads/{id}', {
    ...common,
    summary: 'Read a thread, one page of replies at a time',
    description: 'Accepts the id or the slug of the thread. The words in the slug may be out of date.',
    access: 'optional',
    pathParameters: { id: threadIdOrSlug },
    queryParameters: threadPaging,
    ...conditionalRead(threadResponse, 'The thread.'),
    errors: ['THREAD_NOT_FOUND'],
  }),
  defineOperation('startThread', 'POST', '/community/threads', {
    ...write,
    rateLimits: ['posts'],
    summary: 'Start a thread',
    description:
      'Requires a verified e-mail address. New accounts wait 10 minutes, ' +
      'and have lower limits on posts and links for a week.',
    body: jsonBody(newThreadFields, {
      ...A_PLACE,
      title: 'Quiet places to meet first',
      body: 'Where do you like to have a first coffee?',
    }),
    responses: { 201: jsonResponse(threadWriteResponse, 'The thread was started.', [...REVISION_HEADERS, 'Location']) },
    errors: SPAM,
  }),
  defineOperation('replyToThread', 'POST', '/community/threads/{id}/replies', {
    ...write,
    rateLimits: ['posts'],
    summary: 'Reply to a thread',
    description:
      'The rules for a new thread apply. `quotedNumber` is the post that the reply refers to. ' +
      'The quote is shown above the reply while the quoted post is visible.',
    pathParameters: { id: threadId },
    body: jsonBody(newReplyFields, { body: 'The tea room by the park.', quotedNumber: 0 }),
    responses: { 201: jsonResponse(threadWriteResponse, 'The reply was posted.', REVISION_HEADERS) },
    errors: [...SPAM, ...NO_POST, 'THREAD_LOCKED', 'THREAD_FULL'],
  }),
  defineOperation('editPost', 'PUT', '/community/threads/{id}/posts/{number}', {
    ...write,
    rateLimits: ['edits'],
    summary: 'Change your own post, within 15 minutes',
    description: 'The post is marked as changed, and its earlier text is stored.',
    pathParameters: A_POST,
    body: jsonBody(editPostFields, { body: 'The tea room by the park, on the second floor.' }),
    responses: { 200: jsonResponse(threadWriteResponse, 'The post was changed.', REVISION_HEADERS) },
    errors: [
      'REQUIRED_FIELDS',
      ...NO_POST,
      'ONLY_AUTHOR',
      'POST_HIDDEN',
      'THREAD_LOCKED',
      'EDIT_WINDOW_OVER',
      'TOO_MANY_LINKS',
      'DUPLICATE_TEXT',
    ],
  }),
  defineOperation('deletePost', 'DELETE', '/community/threads/{id}/posts/{number}', {
    ...write,
    summary: 'Delete your own post',
    description: 'The text is deleted, the number of the post stays.',
    pathParameters: A_POST,
    responses: { 200: jsonResponse(threadWriteResponse, 'The post was deleted.', REVISION_HEADERS) },
    errors: [...NO_POST, 'ONLY_AUTHOR', 'VERIFICATION_REQUIRED'],
  }),
  defineOperation('getPostHistory', 'GET', '/community/threads/{id}/posts/{number}/history', {
    ...signedIn,
    summary: 'Get the earlier texts of a post',
    description: 'For the author and moderators. Access by a moderator is logged.',
    pathParameters: A_POST,
    ...conditionalRead(postHistoryResponse, 'The texts, the oldest first.'),
    errors: [...NO_POST, 'ONLY_AUTHOR'],
  }),
  defineOperation('markHelpful', 'POST', '/community/threads/{id}/posts/{number}/helpful', {
    ...write,
    rateLimits: ['marks'],
    summary: 'Mark a post as helpful',
    description: 'Idempotent.',
    pathParameters: A_POST,
    responses: { 200: jsonResponse(helpfulResponse, 'The post is marked.', POSITION_HEADERS) },
    errors: [...NO_POST, 'VERIFICATION_REQUIRED', 'OWN_POST', 'TOO_MANY_MARKS'],
  }),
  defineOperation('unmarkHelpful', 'DELETE', '/community/threads/{id}/posts/{number}/helpful', {
    ...write,
    rateLimits: ['marks'],
    summary: 'Remove your helpful mark',
    pathParameters: A_POST,
    responses: { 200: jsonResponse(helpfulResponse, 'The post is not marked.', POSITION_HEADERS) },
    errors: ['POST_NOT_FOUND', 'THREAD_NOT_FOUND'],
  }),
  defineOperation('followThread', 'PUT', '/community/threads/{id}/follow', {
    ...write,
    rateLimits: ['marks'],
    summary: 'Follow a thread',
    description: 'Mails are sent for each reply, once a day, or not at all.',
    pathParameters: { id: threadId },
    body: jsonBody(followFields, { mail: 'daily' }),
    responses: { 200: jsonResponse(followResponse, 'The thread is followed.', POSITION_HEADERS) },
    errors: ['THREAD_NOT_FOUND', 'VERIFICATION_REQUIRED', 'TOO_MANY_FOLLOWS'],
  }),
  defineOperation('unfollowThread', 'DELETE', '/community/threads/{id}/follow', {
    ...write,
    rateLimits: ['marks'],
    summary: 'Stop following a thread',
    pathParameters: { id: threadId },
    responses: { 200: jsonResponse(followResponse, 'The thread is not followed.', POSITION_HEADERS) },
    errors: ['THREAD_NOT_FOUND'],
  }),
  defineOperation('listFollows', 'GET', '/community/follows', {
    ...signedIn,
    summary: 'List the threads that you follow',
    ...conditionalRead(followListResponse, 'All followed threads.'),
  }),
  defineOperation('unsubscribe', 'POST', '/community/unsubscribe', {
    ...common,
    summary: 'Unsubscribe from mails',
    description:
      'Requires only the token from the link in a mail. ' +
      'It switches off mails about one thread or about all threads. Idempotent.',
    body: jsonBody(unsubscribeFields, { token: unsubscribeToken.example }),
    responses: { 200: MAILS_ENDED },
    errors: ['UNSUBSCRIBE_FAILED'],
  }),
  defineOperation('askWhetherToUnsubscribe', 'GET', '/community/unsubscribe/{token}', {
    ...common,
    summary: 'Open the page that unsubscribes from mails',
    description: 'For mail programs that open the address in `List-Unsubscribe` as a link. It changes nothing.',
    pathParameters: { token: unsubscribeToken },
    responses: { 303: emptyResponse('The page.', ['Location']) },
  }),
  defineOperation('unsubscribeByMailProgram', 'POST', '/community/unsubscribe/{token}', {
    ...common,
    summary: 'Unsubscribe from mails with one click in a mail program',
    description:
      'The address in `List-Unsubscribe` (RFC 8058). The form that mail programs send, ' +
      '`List-Unsubscribe=One-Click`, is ignored.',
    pathParameters: { token: unsubscribeToken },
    responses: { 200: MAILS_ENDED },
    errors: ['UNSUBSCRIBE_FAILED'],
  }),
  defineOperation('listCommunityLocations', 'GET', '/community/locations', {
    ...common,
    summary: 'List countries, states and cities with their numbers of threads',
    ...conditionalRead(communityLocationsResponse, 'All places, including those without threads.'),
  }),
  defineOperation('previewPost', 'POST', '/community/preview', {
    ...signedIn,
    rateLimits: ['previews'],
    summary: 'Render the Markdown of a post',
    body: jsonBody(previewFields, { body: 'A *calm* place.' }),
    responses: { 200: jsonResponse(previewResponse, 'Safe HTML.') },
    errors: ['REQUIRED_FIELDS'],
  }),

  defineOperation('hidePost', 'PUT', '/admin/community/threads/{id}/posts/{number}/hidden', {
    ...adminWrite,
    summary: 'Hide a post, or show it again',
    description:
      'Hiding the opening post, number 0, hides its thread. The action is a decision: ' +
      'the author receives a statement of reasons and may appeal.',
    pathParameters: A_POST,
    body: jsonBody(hidePostFields, { hidden: true, reason: 'Contact details of somebody else.' }),
    responses: { 200: jsonResponse(threadWriteResponse, 'The post is hidden or visible.', REVISION_HEADERS) },
    errors: [...NO_POST, 'OWN_CONTENT', 'CASE_CLAIMED', 'APPEAL_PENDING', 'REMOVAL_UNDECIDED'],
  }),
  defineOperation('lockThread', 'PUT', '/admin/community/threads/{id}/locked', {
    ...adminWrite,
    summary: 'Close a thread to replies, or open it again',
    pathParameters: { id: threadId },
    body: jsonBody(lockThreadFields, { locked: true }),
    responses: { 200: jsonResponse(threadWriteResponse, 'The thread is closed or open.', REVISION_HEADERS) },
    errors: ['THREAD_NOT_FOUND'],
  }),
  defineOperation('pinThread', 'PUT', '/admin/community/threads/{id}/pinned', {
    ...adminWrite,
    summary: 'Pin a thread in its city, or unpin it',
    pathParameters: { id: threadId },
    body: jsonBody(pinThreadFields, { pinned: true }),
    responses: { 200: jsonResponse(threadWriteResponse, 'The thread is pinned or not.', REVISION_HEADERS) },
    errors: ['THREAD_NOT_FOUND'],
  }),
  defineOperation('moveThread', 'PUT', '/admin/community/threads/{id}/place', {
    ...adminWrite,
    summary: 'Move a thread to another city',
    description: 'The old address redirects to the new one.',
    pathParameters: { id: threadId },
    body: jsonBody(moveThreadFields, A_PLACE),
    responses: { 200: jsonResponse(threadWriteResponse, 'The thread was moved.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'THREAD_NOT_FOUND'],
  }),
  defineOperation('listHiddenPosts', 'GET', '/admin/community/hidden', {
    ...admin,
    summary: 'List hidden posts',
    description: 'Posts hidden by moderators and by reports, the last hidden one first.',
    queryParameters: pagingParameters,
    ...conditionalRead(hiddenPostsResponse, 'A page of posts.'),
  }),
];
