// How folded text is shown.
import { codeFolding } from '@codemirror/language';

export const folding = codeFolding({
  placeholderDOM(_, onclick) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'cm-folded';
    button.textContent = '…';
    button.title = 'Show';
    button.setAttribute('aria-label', 'Folded text. Show');
    button.addEventListener('click', onclick);
    return button;
  },
});
