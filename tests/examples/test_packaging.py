"""The recipes for package managers: all that they do without a network and without the package manager."""

import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import types
import unittest
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])
RECIPES = ROOT / "examples" / "packaging"


def version():
    header = (ROOT / "include/hbm/version.hpp").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"^#define HBM_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def copy(_recipe, pattern, source, target):
    """Does what conan.tools.files.copy does with the pattern for everything."""
    assert pattern == "*", pattern
    shutil.copytree(source, target, dirs_exist_ok=True)


class Reporter:
    """Stands for the objects that Conan gives a recipe: takes all attributes and calls."""

    def clear(self):
        self.was_cleared = True


def recipe():
    """Imports the recipe with the few names of Conan that it needs."""
    standards = []
    modules = {name: types.ModuleType(name) for name in ("conan", "conan.tools", "conan.tools.build", "conan.tools.files")}
    modules["conan"].ConanFile = type("ConanFile", (), {"info": Reporter(), "cpp_info": Reporter()})
    modules["conan.tools.build"].check_min_cppstd = lambda _recipe, standard: standards.append(standard)
    modules["conan.tools.files"].copy = copy
    sys.modules.update(modules)
    spec = importlib.util.spec_from_file_location("conanfile", RECIPES / "conan/conanfile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Hbm(), standards


class Packaging(unittest.TestCase):
    def test_conan_exports_and_packages_all_headers(self):
        subject, standards = recipe()
        self.assertEqual((subject.name, subject.version, subject.package_type), ("hbm", version(), "header-library"))
        subject.recipe_folder = str(RECIPES / "conan")
        with tempfile.TemporaryDirectory() as scratch:
            subject.export_sources_folder = subject.source_folder = str(Path(scratch) / "source")
            subject.package_folder = str(Path(scratch) / "package")
            subject.export_sources()
            subject.validate()
            subject.package()
            subject.package_id()
            subject.package_info()
            headers = sorted(path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob("*.hpp"))
            packaged = Path(scratch) / "package/include"
            self.assertEqual(sorted(path.relative_to(packaged) for path in packaged.rglob("*.hpp")), headers)
        self.assertEqual(standards, [20])
        self.assertTrue(subject.info.was_cleared)
        self.assertEqual((subject.cpp_info.bindirs, subject.cpp_info.libdirs), ([], []))

    def test_vcpkg_names_this_version_and_the_clone(self):
        port = RECIPES / "vcpkg/hbm"
        manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
        self.assertEqual((manifest["name"], manifest["version"]), (port.name, version()))
        self.assertTrue(all(dependency["host"] for dependency in manifest["dependencies"]))
        up = re.search(r"\$\{CURRENT_PORT_DIR\}/([./]+)", (port / "portfile.cmake").read_text(encoding="utf-8"))
        self.assertEqual((port / up[1]).resolve(), ROOT.resolve())

    def test_debian_names_this_version_and_real_options(self):
        changelog = (RECIPES / "debian/changelog").read_text(encoding="utf-8")
        self.assertTrue(changelog.startswith(f"hbm ({version()}) "), changelog)
        rules = RECIPES / "debian/rules"
        self.assertTrue(os.access(rules, os.X_OK))
        options = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        for text in (rules, RECIPES / "vcpkg/hbm/portfile.cmake"):
            names = re.findall(r"-D(HBM_\w+)=OFF", text.read_text(encoding="utf-8"))
            self.assertTrue(names)
            for name in names:
                self.assertIn(f"option({name} ", options)


if __name__ == "__main__":
    unittest.main()
