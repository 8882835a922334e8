// Goes on by itself; without a script the button does it. The pause leaves time for "Stop here".
setTimeout(() => document.getElementById("streamapp-go-on").submit(), 1000);
