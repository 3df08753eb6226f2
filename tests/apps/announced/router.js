// Goes from page to page as frameworks do: what is shown anew stands behind the scripts, and an announcer tells of it.
const views = {
  'index.html': '<h1>Home</h1><a href="about.html">About</a>',
  'about.html': '<h1>About</h1><button>Say</button><p></p>',
};
const nameNow = () => location.pathname.split('/').pop() || 'index.html';

const announcer = document.createElement('app-announcer');
announcer.attachShadow({ mode: 'open' }).innerHTML =
  '<p role="alert" aria-live="assertive" style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"></p>';
document.body.append(announcer);

function show(name) {
  document.querySelector('main').remove();
  const main = document.createElement('main');
  main.innerHTML = views[name];
  document.body.append(document.createElement('script'), main);
  announcer.shadowRoot.firstChild.textContent = main.firstChild.textContent;
}

addEventListener('click', (event) => {
  const link = event.target.closest('main a');
  if (link) {
    event.preventDefault();
    history.pushState(null, '', link.getAttribute('href'));
    show(nameNow());
  } else if (event.target.matches('button')) {
    event.target.nextElementSibling.textContent = 'said';
  }
});
addEventListener('popstate', () => show(nameNow()));
