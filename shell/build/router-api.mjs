// @ts-check
/**
 * The part of the router that the product uses. Bundlers do not remove unused exports of a shared module, so this list
 * limits what visitors download. The lint rule `no-restricted-imports` forbids other imports of `react-router-dom`,
 * because the shell provides only these exports to the remotes.
 */
export {
  BrowserRouter,
  Link,
  NavLink,
  Navigate,
  Outlet,
  Route,
  Routes,
  createSearchParams,
  generatePath,
  matchPath,
  useHref,
  useLocation,
  useMatch,
  useNavigate,
  useNavigationType,
  useOutletContext,
  useParams,
  useResolvedPath,
  useSearchParams,
} from 'react-router';
