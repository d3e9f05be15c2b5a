/**
 * What the product uses of the router. Shared modules are never tree-shaken, so this list, and not the whole package, is what
 * every visitor downloads. A remote gets exactly these names when it imports `react-router-dom`; the lint rule
 * `no-restricted-imports` holds everybody to the list.
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
