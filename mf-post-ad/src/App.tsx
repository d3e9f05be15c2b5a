import { Route, Routes, useParams } from 'react-router-dom';
import { HostProvider, type RemoteProps } from '@alpenglow/ui';
import { EditPage, useAdToEdit } from './pages/edit.tsx';
import { PostPage } from './pages/post.tsx';

/** The pages of this remote, on which providers post and edit an ad. */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host}>
      <Routes>
        <Route path="/edit/:adId" element={<EditByAddress />} />
        <Route path="*" element={<PostOrEdit />} />
      </Routes>
    </HostProvider>
  );
}

function EditByAddress() {
  const { adId = '' } = useParams();
  return <EditPage key={adId} adId={adId} />;
}

function PostOrEdit() {
  const adId = useAdToEdit();
  return adId === null ? <PostPage /> : <EditPage key={adId} adId={adId} />;
}
