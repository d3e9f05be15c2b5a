import { Component, type ReactNode } from 'react';

interface Props {
  /** A change of this value clears the error and renders the children again. */
  readonly resetKey?: unknown;
  readonly fallback: (error: Error) => ReactNode;
  readonly onError?: (error: unknown) => void;
  readonly children: ReactNode;
}
interface State {
  readonly error: Error | null;
  readonly resetKey: unknown;
}

/** Renders `fallback` instead of the children if a child throws an error while rendering. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return Object.is(resetKey, state.resetKey) ? null : { error: null, resetKey };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError?.(error);
  }

  override render() {
    return this.state.error ? this.props.fallback(this.state.error) : this.props.children;
  }
}
