import { Route, Routes } from 'react-router-dom';
import { HostProvider, lazyPage, Page, Skeleton, type RemoteProps } from '@alpenglow/ui';
import { AdminFrame } from './frame/admin-frame.tsx';
import { StaffOnly } from './frame/staff-only.tsx';

const loading = (
  <Page>
    <Skeleton width="16rem" height="2.5rem" />
  </Page>
);

const BlogListPage = lazyPage(() => import(/* webpackChunkName: "blog" */ './blog/list-page.tsx'), loading);
const EditorPage = lazyPage(() => import(/* webpackChunkName: "blog" */ './blog/editor-page.tsx'), loading);
const OverviewPage = lazyPage(() => import(/* webpackChunkName: "overview" */ './overview/overview-page.tsx'), loading);
const UsersPage = lazyPage(() => import(/* webpackChunkName: "people" */ './people/users-page.tsx'), loading);
const UserPage = lazyPage(() => import(/* webpackChunkName: "people" */ './people/user-page.tsx'), loading);
const AdsPage = lazyPage(() => import(/* webpackChunkName: "ads" */ './ads/ads-page.tsx'), loading);
const CodesPage = lazyPage(() => import(/* webpackChunkName: "codes" */ './codes/codes-page.tsx'), loading);
const AdHistoryPage = lazyPage(
  () => import(/* webpackChunkName: "history" */ './history/ad-history-page.tsx'),
  loading,
);
const AccountHistoryPage = lazyPage(
  () => import(/* webpackChunkName: "history" */ './history/account-history-page.tsx'),
  loading,
);
const ThreadHistoryPage = lazyPage(
  () => import(/* webpackChunkName: "history" */ './history/thread-history-page.tsx'),
  loading,
);
const QueuePage = lazyPage(() => import(/* webpackChunkName: "moderation" */ './moderation/queue-page.tsx'), loading);
const CasePage = lazyPage(() => import(/* webpackChunkName: "moderation" */ './moderation/case-page.tsx'), loading);
const IdentityPage = lazyPage(() => import(/* webpackChunkName: "identity" */ './identity/identity-page.tsx'), loading);
const LogPage = lazyPage(() => import(/* webpackChunkName: "log" */ './log/log-page.tsx'), loading);
const TransparencyPage = lazyPage(
  () => import(/* webpackChunkName: "transparency" */ './transparency/transparency-page.tsx'),
  loading,
);
const ProjectionsPage = lazyPage(
  () => import(/* webpackChunkName: "replay" */ './replay/projections-page.tsx'),
  loading,
);
const RulesPage = lazyPage(() => import(/* webpackChunkName: "rules" */ './rules/rules-page.tsx'), loading);
const JobsPage = lazyPage(() => import(/* webpackChunkName: "jobs" */ './jobs/jobs-page.tsx'), loading);
const StaffReadsPage = lazyPage(
  () => import(/* webpackChunkName: "staff-reads" */ './staff-reads/staff-reads-page.tsx'),
  loading,
);

/** The admin panel. The shell keeps others out, and the API refuses them. */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host} fallback={loading}>
      <Routes>
        <Route element={<AdminFrame />}>
          <Route path="/admin/ads/:id" element={<AdHistoryPage />} />
          <Route path="/admin/threads/:id" element={<ThreadHistoryPage />} />
          <Route path="/admin/moderation" element={<QueuePage />} />
          <Route path="/admin/moderation/cases/:id" element={<CasePage />} />
          <Route path="/admin/log" element={<LogPage />} />
          <Route path="/admin/transparency" element={<TransparencyPage />} />
          <Route element={<StaffOnly role="admin" />}>
            <Route path="/admin/users" element={<UsersPage />} />
            <Route path="/admin/users/:id" element={<UserPage />} />
            <Route path="/admin/ads" element={<AdsPage />} />
            <Route path="/admin/verification-codes" element={<CodesPage />} />
            <Route path="/admin/users/:id/history" element={<AccountHistoryPage />} />
            <Route path="/admin/identity" element={<IdentityPage />} />
            <Route path="/admin/projections" element={<ProjectionsPage />} />
            <Route path="/admin/rules" element={<RulesPage />} />
            <Route path="/admin/jobs" element={<JobsPage />} />
            <Route path="/admin/staff-reads" element={<StaffReadsPage />} />
            <Route path="/admin/blog" element={<BlogListPage />} />
            <Route path="/admin/blog/new" element={<EditorPage />} />
            <Route path="/admin/blog/:slug" element={<EditorPage />} />
            <Route path="*" element={<OverviewPage />} />
          </Route>
        </Route>
      </Routes>
    </HostProvider>
  );
}
