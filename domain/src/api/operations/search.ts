import { operation, readable, type Operation } from '../operation.ts';
import { searchAnswer } from '../schemas/search.ts';
import { searchFilters } from './parameters.ts';

/** Search over everything there is to read. */
export const searchOperations: readonly Operation[] = [
  operation({
    tag: 'Search',
    method: 'GET',
    path: '/search',
    id: 'search',
    summary: 'Search threads, articles and ads at once',
    description: 'The best of each kind. What is hidden, deleted or withdrawn is not found.',
    query: searchFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(searchAnswer, 'What was found, by kind.'),
  }),
];
