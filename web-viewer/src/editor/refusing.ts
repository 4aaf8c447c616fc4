// Says why nothing happens when somebody types into a text that cannot be changed.
import { EditorView } from '@codemirror/view';
import { pageContext } from './page-context';

const CHANGES = /^(?:insert|delete|format|history)/;

export const refusing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (!view.state.readOnly || !CHANGES.test(event.inputType)) return false;
    view.state.facet(pageContext)?.refuse();
    return false;
  },
  paste(_, view) {
    if (view.state.readOnly) view.state.facet(pageContext)?.refuse();
    return false;
  },
});
