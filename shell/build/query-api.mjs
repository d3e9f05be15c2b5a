// @ts-check
/**
 * The part of TanStack Query that the product uses in browsers. Bundlers do not remove unused exports of a shared
 * module, so this list limits what visitors download. The lint rule `no-restricted-imports` forbids other imports of
 * `@tanstack/react-query`, because the shell provides only these exports to the remotes. The path is that of the file,
 * because the name of the package means this module.
 */
export {
  QueryClient,
  QueryClientProvider,
  hydrate,
  infiniteQueryOptions,
  keepPreviousData,
  onlineManager,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '../../node_modules/@tanstack/react-query/build/modern/index.js';
