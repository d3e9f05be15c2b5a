import { defineOperation, conditionalRead } from '../operation.ts';
import { searchResponse } from '../schemas/search.ts';
import { searchFilters } from './parameters.ts';

/** Operations that search in all public content. */
export const searchOperations = [
  defineOperation('search', 'GET', '/search', {
    tag: 'Search',
    summary: 'Search threads, articles and ads',
    description: 'The best results of each kind. Hidden, deleted and withdrawn content is excluded.',
    queryParameters: searchFilters,
    ...conditionalRead(searchResponse, 'The results by kind.'),
  }),
];
