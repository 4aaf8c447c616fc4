// How folded text is shown.
import { codeFolding } from '@codemirror/language';
import { writing } from '../words/writing';

export const folding = codeFolding({
  placeholderDOM(_, onclick) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'cm-folded';
    button.textContent = '…';
    button.title = writing.editor.unfold;
    button.setAttribute('aria-label', writing.editor.folded);
    button.addEventListener('click', onclick);
    return button;
  },
});
