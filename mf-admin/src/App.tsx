import { Route, Routes } from 'react-router-dom';
import { HostProvider, lazyPage, Page, PrivateMedia, Skeleton, type RemoteProps } from '@alpenglow/ui';
import { AdminFrame } from './frame/admin-frame.tsx';
import { StaffOnly } from './frame/staff-only.tsx';

const loading = (
  <Page>
    <Skeleton width="16rem" height="2.5rem" />
  </Page>
);
const page = (load: Parameters<typeof lazyPage>[0]) => lazyPage(load, loading);

const BlogListPage = page(() => import(/* webpackChunkName: "blog" */ './blog/list-page.tsx'));
const EditorPage = page(() => import(/* webpackChunkName: "blog" */ './blog/editor-page.tsx'));
const OverviewPage = page(() => import(/* webpackChunkName: "overview" */ './overview/overview-page.tsx'));
const UsersPage = page(() => import(/* webpackChunkName: "people" */ './people/users-page.tsx'));
const UserPage = page(() => import(/* webpackChunkName: "people" */ './people/user-page.tsx'));
const AdsPage = page(() => import(/* webpackChunkName: "ads" */ './ads/ads-page.tsx'));
const CodesPage = page(() => import(/* webpackChunkName: "codes" */ './codes/codes-page.tsx'));
const AdHistoryPage = page(() => import(/* webpackChunkName: "history" */ './history/ad-history-page.tsx'));
const AccountHistoryPage = page(() => import(/* webpackChunkName: "history" */ './history/account-history-page.tsx'));
const ThreadHistoryPage = page(() => import(/* webpackChunkName: "history" */ './history/thread-history-page.tsx'));
const QueuePage = page(() => import(/* webpackChunkName: "moderation" */ './moderation/queue-page.tsx'));
const CasePage = page(() => import(/* webpackChunkName: "moderation" */ './moderation/case-page.tsx'));
const RemovalsPage = page(() => import(/* webpackChunkName: "removals" */ './removals/list-page.tsx'));
const RemovalPage = page(() => import(/* webpackChunkName: "removals" */ './removals/request-page.tsx'));
const IdentityPage = page(() => import(/* webpackChunkName: "identity" */ './identity/identity-page.tsx'));
const LogPage = page(() => import(/* webpackChunkName: "log" */ './log/log-page.tsx'));
const TransparencyPage = page(
  () => import(/* webpackChunkName: "transparency" */ './transparency/transparency-page.tsx'),
);
const ProjectionsPage = page(() => import(/* webpackChunkName: "replay" */ './replay/projections-page.tsx'));
const RulesPage = page(() => import(/* webpackChunkName: "rules" */ './rules/rules-page.tsx'));
const JobsPage = page(() => import(/* webpackChunkName: "jobs" */ './jobs/jobs-page.tsx'));
const RequestsPage = page(() => import(/* webpackChunkName: "requests" */ './requests/requests-page.tsx'));
const StaffReadsPage = page(() => import(/* webpackChunkName: "staff-reads" */ './staff-reads/staff-reads-page.tsx'));

/**
 * The admin panel. The surrounding page (the shell) shows the panel only to staff, and the API rejects requests of all
 * other users.
 */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host} fallback={loading}>
      {/* Staff also see photos and videos that are not public. */}
      <PrivateMedia>
        <Routes>
          <Route element={<AdminFrame />}>
            <Route path="/admin/ads/:id" element={<AdHistoryPage />} />
            <Route path="/admin/threads/:id" element={<ThreadHistoryPage />} />
            <Route path="/admin/moderation" element={<QueuePage />} />
            <Route path="/admin/moderation/cases/:id" element={<CasePage />} />
            <Route path="/admin/removals" element={<RemovalsPage />} />
            <Route path="/admin/removals/:id" element={<RemovalPage />} />
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
              <Route path="/admin/requests" element={<RequestsPage />} />
              <Route path="/admin/staff-reads" element={<StaffReadsPage />} />
              <Route path="/admin/blog" element={<BlogListPage />} />
              <Route path="/admin/blog/new" element={<EditorPage />} />
              <Route path="/admin/blog/:slug" element={<EditorPage />} />
              <Route path="*" element={<OverviewPage />} />
            </Route>
          </Route>
        </Routes>
      </PrivateMedia>
    </HostProvider>
  );
}
